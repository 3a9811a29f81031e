// What there is to know of @TITLE@ (@ENVIRONMENT@); the types are in @NAME@.d.ts.
export default @DESCRIPTION@;
