/** The content of the file .wasm, for `load`. */
declare const wasm: Uint8Array;
export default wasm;
