// The WebAssembly of the game, for programs in one file: a sign for each byte, which compresses
// better than base64.
const signs = @SIGNS@; // for the bytes from 0 on; "`" for the next sign of two bytes
const text = @TEXT@;
let more = 161;
const bytes = new Map(
  Array.from(signs, (sign, byte) => [sign === "`" ? String.fromCharCode(more++) : sign, byte]));
export default Uint8Array.from(text, (sign) => bytes.get(sign));
