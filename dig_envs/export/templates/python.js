// Values and functions of Python for what javascript.py translates. A number is a number, or a
// BigInt where it is an integer that a number cannot hold; a list is an array, a tuple a Tuple,
// which is an array, too; None is null.

export const ALL = Symbol("...");

export class Obj {
  constructor(...given) {
    this.__init__?.(...given);
  }
  // of a dataclass: `$p` are its fields, `$usual` their defaults
  __init__(...given) {
    const { $p, $usual } = this.constructor;
    if (!$p) return;
    $p.forEach((name, k) => { this[name] = given[k] === undefined ? $usual[name] : given[k]; });
    this.__post_init__?.();
  }
  toString() {
    return this.__str__ ? this.__str__() : `${this.constructor.name}`;
  }
}

class PyError extends Error {
  constructor(message = "", ...others) {
    super(typeof message === "string" ? message : str(message));
    this.__init__?.(message, ...others);
  }
  get name() {
    return this.constructor.name.replace(/\$.*$/, "");
  }
  __str__() {
    return this.message;
  }
}
export { PyError as Exception };
export class ValueError extends PyError {}
export class TypeError extends PyError {}
export class LookupError extends PyError {}
export class KeyError extends LookupError {}
export class IndexError extends LookupError {}
export class RuntimeError extends PyError {}
export class OverflowError extends PyError {}
export class AssertionError extends PyError {}
export class ImportError extends PyError {}
export class AttributeError extends PyError {}
export class StopIteration extends PyError {}

// ------------------------------------------------------------ kinds of values

export class Tuple extends Array {
  static get [Symbol.species]() {
    return Array;
  }
}

export function tuple(values) {
  const made = new Tuple();
  for (const value of values) made.push(value);
  return made;
}

/** A tuple whose places have names. */
export class Row extends Tuple {
  constructor(...given) {
    super();
    const usual = this.constructor.$usual ?? {};
    this.constructor.$p.forEach(
      (name, place) => this.push(given[place] === undefined ? usual[name] : given[place]));
  }
}

// What stands for a value as a key: equal values have the same.
function keyOf(value) {
  if (typeof value === "boolean") return Number(value);
  if (Array.isArray(value))
    return `\u0000${
      value.map((one) => `${typeof one === "string" ? JSON.stringify(one) : String(keyOf(one))}`)
        .join("\u0001")}`;
  if (value instanceof Obj && value.constructor.$p) {
    return `\u0002${value.constructor.name}${
      value.constructor.$p.map((name) => String(keyOf(value[name]))).join("\u0001")}`;
  }
  return value;
}

export class Dict {
  constructor(rows = []) {
    this._map = new Map();
    for (const [key, value] of rows) this._put(key, value);
  }
  _put(key, value) {
    const own = keyOf(key);
    const row = this._map.get(own);
    if (row === undefined) this._map.set(own, [key, value]);
    else row[1] = value;
  }
  _get(key) {
    const row = this._map.get(keyOf(key));
    if (row === undefined) return this._missing(key);
    return row[1];
  }
  _missing(key) {
    throw new KeyError(repr(key));
  }
  _has(key) {
    return this._map.has(keyOf(key));
  }
  get _size() {
    return this._map.size;
  }
  *[Symbol.iterator]() {
    for (const [key] of this._map.values()) yield key;
  }
  get(key, usual = null) {
    const row = this._map.get(keyOf(key));
    return row === undefined ? usual : row[1];
  }
  keys() {
    return [...this];
  }
  values() {
    return Array.from(this._map.values(), (row) => row[1]);
  }
  items() {
    return Array.from(this._map.values(), (row) => tuple(row));
  }
  pop(key, usual) {
    const own = keyOf(key);
    const row = this._map.get(own);
    if (row === undefined) {
      if (usual === undefined) throw new KeyError(repr(key));
      return usual;
    }
    this._map.delete(own);
    return row[1];
  }
  setdefault(key, value = null) {
    if (!this._has(key)) this._put(key, value);
    return this._get(key);
  }
  update(other) {
    for (const [key, value] of items(other)) this._put(key, value);
    return null;
  }
  copy() {
    return new Dict(this.items());
  }
}

export class Counter extends Dict {
  constructor(values = []) {
    super();
    if (values instanceof Dict) this.update(values);
    else for (const value of values) this._put(value, this.get(value, 0) + 1);
  }
  _missing() {
    return 0;
  }
  elements() {
    return this.items().flatMap(([key, count]) => new Array(Math.max(0, count)).fill(key));
  }
  most_common(count = Infinity) {
    return sorted(this.items(), kw({ key: (row) => -row[1] })).slice(0, count);
  }
  subtract(values) {
    for (const value of values) this._put(value, this.get(value, 0) - 1);
    return null;
  }
  total() {
    return this.values().reduce((a, b) => a + b, 0);
  }
}

export class defaultdict extends Dict {
  constructor(factory) {
    super();
    this._factory = factory;
  }
  _missing(key) {
    this._put(key, call(this._factory, []));
    return this._get(key);
  }
}

export class PySet {
  constructor(values = []) {
    this._map = new Map();
    for (const value of values) this.add(value);
  }
  add(value) {
    const own = keyOf(value);
    if (!this._map.has(own)) this._map.set(own, value);
    return null;
  }
  discard(value) {
    this._map.delete(keyOf(value));
    return null;
  }
  remove(value) {
    if (!this._map.delete(keyOf(value))) throw new KeyError(repr(value));
    return null;
  }
  pop() {
    const [value] = this;
    this.remove(value);
    return value;
  }
  update(...several) {
    for (const values of several) for (const value of values) this.add(value);
    return null;
  }
  union(...several) {
    const made = new PySet(this);
    made.update(...several);
    return made;
  }
  issubset(other) {
    return le(this, other instanceof PySet ? other : new PySet(other));
  }
  issuperset(other) {
    return le(other instanceof PySet ? other : new PySet(other), this);
  }
  isdisjoint(other) {
    return ![...other].some((value) => this._has(value));
  }
  _has(value) {
    return this._map.has(keyOf(value));
  }
  get _size() {
    return this._map.size;
  }
  [Symbol.iterator]() {
    return this._map.values();
  }
}

export class Range {
  constructor(start, stop, step) {
    Object.assign(this, { start, stop, step });
    this._size = Math.max(0, Math.ceil((stop - start) / step));
  }
  *[Symbol.iterator]() {
    for (let k = 0; k < this._size; k++) yield this.start + k * this.step;
  }
  _get(place) {
    const at = place < 0 ? place + this._size : place;
    if (!(at >= 0 && at < this._size)) throw new IndexError("range object index out of range");
    return this.start + at * this.step;
  }
  _has(value) {
    const at = (Number(value) - this.start) / this.step;
    return Number.isInteger(at) && at >= 0 && at < this._size;
  }
  index(value) {
    if (!this._has(value)) throw new ValueError(`${repr(value)} is not in range`);
    return (value - this.start) / this.step;
  }
  count(value) {
    return Number(this._has(value));
  }
}

/** A view of numbers with axes. */
export class NdArray {
  constructor(data, shape, first = 0) {
    Object.assign(this, { data, shape, first });
    this._each = shape.slice(1).reduce((a, b) => a * b, 1);
  }
  get _size() {
    return this.shape[0];
  }
  _read(place) {
    const value = this.data[place];
    return typeof value === "bigint" ? tidy(value) : value;
  }
  _at(place) {
    const at = place < 0 ? place + this.shape[0] : place;
    if (!(at >= 0 && at < this.shape[0]))
      throw new IndexError(`index ${place} is out of bounds for size ${this.shape[0]}`);
    return this.first + at * this._each;
  }
  _get(key) {
    if (Array.isArray(key)) return key.reduce((array, place) => array._get(place), this);
    if (key instanceof NdArray || key === ALL) throw new TypeError("no such index");
    const at = this._at(key);
    return this.shape.length === 1 ? this._read(at)
                                   : new NdArray(this.data, this.shape.slice(1), at);
  }
  _write(place, value) {
    if (value instanceof Obj || value === null || typeof value === "string")
      throw new TypeError("not a number");
    this.data[place] = typeof this.data[place] === "bigint" ? BigInt(value) : Number(value);
  }
  _put(key, value) {
    if (key === ALL) return this._fill(value);
    if (Array.isArray(key) && !(key instanceof Tuple)) {
      const values = isNumber(value) ? null : [...value];
      key.forEach((place, k) => this._put(place, values === null ? value : values[k]));
      return null;
    }
    if (Array.isArray(key)) {
      if (key.length === 0) return this._fill(value);
      if (key.length > 1)
        return this._get(key[0])._put(key.length === 2 ? key[1] : tuple(key.slice(1)), value);
      return this._put(key[0], value);
    }
    if (this.shape.length > 1) return this._get(key)._fill(value);
    this._write(this._at(key), value);
    return null;
  }
  _fill(value) {
    const values = isNumber(value) ? null : [...value];
    for (let k = 0; k < this.shape[0]; k++) this._put(k, values === null ? value : values[k]);
    return null;
  }
  _slice(low, high, step) {
    const [first, last, by] = bounds(this.shape[0], low, high, step);
    if (by === 1)
      return new NdArray(this.data, [Math.max(0, last - first), ...this.shape.slice(1)],
        this.first + first * this._each);
    return indices(this.shape[0], low, high, step).map((k) => this._get(k));
  }
  *[Symbol.iterator]() {
    for (let k = 0; k < this.shape[0]; k++) yield this._get(k);
  }
  tolist() {
    return [...this].map((one) => (one instanceof NdArray ? one.tolist() : one));
  }
  sum(options) {
    if (options === undefined) return b.sum(this.tolist().flat(Infinity));
    const rows = this.tolist(); // along the first axis
    return array(rows[0].map((_, k) => b.sum(rows.map((row) => row[k]))));
  }
  astype() {
    return this;
  }
  max() {
    return b.max(this.tolist().flat(Infinity));
  }
  argmax() {
    const values = this.tolist().flat(Infinity);
    return values.indexOf(b.max(values));
  }
  any() {
    return this.tolist().flat(Infinity).some(Boolean);
  }
  all() {
    return this.tolist().flat(Infinity).every(Boolean);
  }
}

export const KINDS = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
  bool: Uint8Array,
};

/** A record: fields by name in some bytes. */
export class Rec {
  constructor(fields, bytes) {
    this.bytes = bytes;
    this.dtype = { names: fields.map((field) => field.name) };
    this._fields = new Map();
    for (const { name, type, shape, offset } of fields) {
      const kind = KINDS[type];
      const length = shape.reduce((a, b) => a * b, 1);
      const at = bytes.byteOffset + offset;
      if (at % kind.BYTES_PER_ELEMENT) throw new Error("a record begins at a multiple of 8 bytes");
      this._fields.set(
        name, new NdArray(new kind(bytes.buffer, at, length), shape.length ? shape : [1]));
      this._fields.get(name).scalar = shape.length === 0;
    }
  }
  _field(name) {
    const field = this._fields.get(name);
    if (field === undefined) throw new ValueError(`no field of name ${name}`);
    return field;
  }
  _get(name) {
    const field = this._field(name);
    return field.scalar ? field._get(0) : field;
  }
  _put(name, value) {
    this._field(name)._fill(value);
    return null;
  }
  _has(name) {
    return this._fields.has(name);
  }
}

export function array(values) {
  if (!Array.isArray(values)) return values;
  const shape = [];
  for (let inner = values; Array.isArray(inner); inner = inner[0]) shape.push(inner.length);
  return new NdArray(
    values.flat(Infinity).map((value) => (typeof value === "string" ? value : Number(value))),
    shape);
}

export const dict = (rows) => new Dict(rows);
export const dict_of = (own) => new Dict(Object.entries(own));
export const set_of = (values) => new PySet(values);

export class Nothing {}
export const Mapping = { $is: (value) => value instanceof Dict };
export const Sized = {
  $is: (value) => value !== null && typeof value === "object" && !(value instanceof Obj)
    ? true
    : typeof value === "string"
};
export const Sequence = {
  $is: (value) => typeof value === "string" || Array.isArray(value) || value instanceof Range
};
export const None = { $is: (value) => value === null, __name__: "NoneType" };

const isNumber = (value) => typeof value === "number" || typeof value === "bigint"
  || typeof value === "boolean";
const tidy = (value) => (
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value);

// ------------------------------------------------------------ values of JSON

/** What JSON.parse has given, as values here. */
export function from_json(value) {
  if (value === undefined) return null;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(from_json);
  return new Dict(Object.entries(value).map(([key, one]) => [key, from_json(one)]));
}

/** Values as JSON.stringify takes them. */
export function to_json(value) {
  if (value instanceof Dict)
    return Object.fromEntries(value.items().map(([key, one]) => [String(key), to_json(one)]));
  if (Array.isArray(value)) return Array.from(value, to_json);
  return value;
}

// ------------------------------------------------------------ truth and comparison

export function t(value) {
  if (value === null || value === undefined) return false;
  if (typeof value !== "object") return typeof value === "function" ? true : Boolean(value);
  if (Array.isArray(value)) return value.length > 0;
  if (value._size !== undefined) return value._size > 0;
  return true;
}

export const and = (value, other) => (t(value) ? other() : value);
export const or = (value, other) => (t(value) ? value : other());

export function eq(one, other) {
  if (one === other) return true;
  if (one === null || other === null) return false;
  if (one instanceof NdArray || other instanceof NdArray)
    throw new TypeError("arrays are compared entry by entry: take tolist()");
  if (typeof one !== "object" || typeof other !== "object") {
    if (typeof one === "boolean" || typeof other === "boolean" || typeof one === "bigint"
      || typeof other === "bigint") {
      return isNumber(one) && isNumber(other) && Number(one) === Number(other)
        && (typeof one === typeof other ? one === other : true);
    }
    return false;
  }
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length
      || one instanceof Tuple !== other instanceof Tuple)
      return false;
    return one.every((value, k) => eq(value, other[k]));
  }
  if (one instanceof Dict) {
    return other instanceof Dict && one._size === other._size
      && one.items().every(([key, value]) => other._has(key) && eq(value, other._get(key)));
  }
  if (one instanceof PySet)
    return other instanceof PySet && one._size === other._size &&
      [...one].every((value) => other._has(value));
  if (one instanceof Range) return other instanceof Range && eq([...one], [...other]);
  if (one instanceof Obj && one.constructor === other.constructor && one.constructor.$p) {
    return one.constructor.$p.every((name) => eq(one[name], other[name]));
  }
  return false;
}

export const ne = (one, other) => !eq(one, other);

function compare(one, other) {
  if (Array.isArray(one) && Array.isArray(other)) {
    for (let k = 0; k < Math.min(one.length, other.length); k++)
      if (!eq(one[k], other[k])) return compare(one[k], other[k]);
    return one.length - other.length;
  }
  if ((isNumber(one) && isNumber(other)) || (typeof one === "string" && typeof other === "string"))
    return one < other ? -1 : one > other ? 1 : 0;
  throw new TypeError("these cannot be compared");
}

const contains = (one, other) => [...other].every((value) => one._has(value));
export const lt = (one, other) => (
  one instanceof PySet ? contains(other, one) && one._size < other._size : compare(one, other) < 0);
export const le = (one, other) => (
  one instanceof PySet ? contains(other, one) : compare(one, other) <= 0);
export const gt = (one, other) => lt(other, one);
export const ge = (one, other) => le(other, one);

export function has(values, value) {
  if (typeof values === "string") return values.includes(value);
  if (Array.isArray(values)) return values.some((one) => eq(one, value));
  if (values._has) return values._has(value);
  for (const one of values) if (eq(one, value)) return true;
  return false;
}

// ------------------------------------------------------------ arithmetic

// Of numbers, or of BigInts where numbers would be too large.
function computed(one, other, ofNumbers, ofBig) {
  if (typeof one !== "bigint" && typeof other !== "bigint") {
    const found = ofNumbers(Number(one), Number(other));
    if (Number.isSafeInteger(found) || !Number.isInteger(found) || !Number.isInteger(one)
      || !Number.isInteger(other))
      return found;
  }
  return tidy(ofBig(BigInt(one), BigInt(other)));
}

export function add(one, other) {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (typeof one === "string" && typeof other === "string") return one + other;
  if (Array.isArray(one) && Array.isArray(other))
    return one instanceof Tuple ? tuple([...one, ...other]) : [...one, ...other];
  if (isNumber(one) && isNumber(other))
    return computed(one, other, (a, b) => a + b, (a, b) => a + b);
  throw new TypeError(`${repr(one)} + ${repr(other)}`);
}

export function iadd(one, other) {
  if (Array.isArray(one) && !(one instanceof Tuple)) {
    one.push(...other);
    return one;
  }
  return add(one, other);
}

export function sub(one, other) {
  if (one instanceof Counter) {
    return new Counter(
      new Dict(one.items().map(([key, count]) => [key, count - other.get(key, 0)]).filter(([,
        count]) => count > 0)));
  }
  if (one instanceof PySet) return new PySet([...one].filter((value) => !other._has(value)));
  return computed(one, other, (a, b) => a - b, (a, b) => a - b);
}

export function mul(one, other) {
  if (typeof one === "string") return one.repeat(Math.max(0, Number(other)));
  if (typeof other === "string") return other.repeat(Math.max(0, Number(one)));
  if (Array.isArray(one) || Array.isArray(other)) {
    const [values, count] = Array.isArray(one) ? [one, other] : [other, one];
    const made = values instanceof Tuple ? new Tuple() : [];
    for (let k = 0; k < Number(count); k++) made.push(...values);
    return made;
  }
  return computed(one, other, (a, b) => a * b, (a, b) => a * b);
}

export const div = (one, other) => Number(one) / Number(other);
export const floordiv = (one, other) => computed(
  one, other, (a, b) => Math.floor(a / b), (a, b) => (a - (((a % b) + b) % b)) / b);
export const mod = (one, other) => computed(
  one, other, (a, b) => ((a % b) + b) % b, (a, b) => ((a % b) + b) % b);
export const pow = (one, other) => computed(one, other, (a, b) => a ** b, (a, b) => a ** b);
export const shl = (one, other) => tidy(BigInt(one) << BigInt(other));
export const shr = (one, other) => tidy(BigInt(one) >> BigInt(other));
export const invert = (one) => tidy(~BigInt(one));

function bits(ofNumbers, ofBig) {
  return (one, other) => {
    if (typeof one === "boolean" && typeof other === "boolean")
      return Boolean(ofNumbers(Number(one), Number(other)));
    if (Number.isInteger(Number(one)) && typeof one !== "bigint" && typeof other !== "bigint"
      && (one | 0) === Number(one) && (other | 0) === Number(other)) {
      return ofNumbers(Number(one), Number(other));
    }
    return tidy(ofBig(BigInt(one), BigInt(other)));
  };
}
const andBits = bits((a, b) => a & b, (a, b) => a & b);
const orBits = bits((a, b) => a | b, (a, b) => a | b);
export const bxor = bits((a, b) => a ^ b, (a, b) => a ^ b);

export function band(one, other) {
  if (one instanceof Counter) {
    return new Counter(new Dict(
      one.items().map(([key, count]) => [key, Math.min(count, other.get(key, 0))]).filter(([,
        count]) => count > 0)));
  }
  if (one instanceof PySet) return new PySet([...one].filter((value) => other._has(value)));
  return andBits(one, other);
}

export function bor(one, other) {
  if (one instanceof Dict) return new Dict([...one.items(), ...other.items()]);
  if (one instanceof PySet) return one.union(other);
  return orBits(one, other);
}

export const matmul = (one, other) => b.sum([...one].map((value, k) => mul(value, get(other, k))));
export const zeros_like = (values) => new NdArray(
  values.tolist().flat(Infinity).map(() => 0), values.shape);

// ------------------------------------------------------------ places

/** Values of which those in the middle are one list. */
export function starred(values, before, after) {
  const all = [...values];
  return [
    ...all.slice(0, before), all.slice(before, all.length - after), ...all.slice(all.length - after)
  ];
}

function place(length, key) {
  if (typeof key !== "number" && typeof key !== "boolean")
    throw new TypeError(`an index must be an integer, not ${repr(key)}`);
  const at = key < 0 ? Number(key) + length : Number(key);
  if (!(at >= 0 && at < length)) throw new IndexError("index out of range");
  return at;
}

export function get(values, key) {
  if (Array.isArray(values)) return values[place(values.length, key)];
  if (typeof values === "string") return values[place(values.length, key)];
  if (values === null || values === undefined || values._get === undefined)
    throw new TypeError(`${repr(values)} has no entries`);
  return values._get(key);
}

export function put(values, key, value) {
  if (Array.isArray(values)) values[place(values.length, key)] = value;
  else values._put(key, value);
}

export function remove(values, key) {
  if (Array.isArray(values)) values.splice(place(values.length, key), 1);
  else values.pop(key);
}

function bounds(length, low, high, step) {
  const by = step ?? 1;
  const at = (value, usual) => {
    if (value === null || value === undefined) return usual;
    const from = value < 0 ? Number(value) + length : Number(value);
    return by > 0 ? Math.min(Math.max(from, 0), length) : Math.min(Math.max(from, -1), length - 1);
  };
  return [at(low, by > 0 ? 0 : length - 1), at(high, by > 0 ? length : -1), by];
}

function indices(length, low, high, step) {
  const [first, last, by] = bounds(length, low, high, step);
  return [...new Range(first, last, by)];
}

export function slice(values, low, high, step) {
  if (values instanceof NdArray) return values._slice(low, high, step);
  if (values instanceof Range)
    return indices(values._size, low, high, step).map((k) => values._get(k));
  const all = typeof values === "string" ? [...values] : values; // whole characters
  const found = indices(all.length, low, high, step).map((k) => all[k]);
  return typeof values === "string" ? found.join("")
    : values instanceof Tuple       ? tuple(found)
                                    : found;
}

export function put_slice(values, low, high, step, value) {
  if (values instanceof NdArray) {
    const part = values._slice(low, high, step);
    const several = isNumber(value) ? null : [...value];
    if (several !== null && several.length !== part.shape[0])
      throw new ValueError("the lengths differ");
    for (let k = 0; k < part.shape[0]; k++) part._put(k, several === null ? value : several[k]);
    return;
  }
  const [first, last] = bounds(values.length, low, high, 1);
  values.splice(first, Math.max(0, last - first), ...value);
}

// ------------------------------------------------------------ calls

class Kw {
  constructor(named) {
    this.named = named;
  }
}
export const kw = (named) => new Kw(named);

/** The arguments by name among those given, taken away from them. */
export function named(given) {
  return given.length && given[given.length - 1] instanceof Kw ? given.pop().named : {};
}

export function take(from, name, usual) {
  if (!(name in from)) return usual;
  const value = from[name];
  delete from[name];
  return value;
}

export const rest = (from) => new Dict(Object.entries(from));
export const object = (values) => Object.fromEntries(values.items());

/** Arguments in the order of a function's parameters. */
export function placed(order, given) {
  const own = named(given);
  for (const [name, value] of Object.entries(own)) {
    const at = order.indexOf(name);
    if (at < 0) throw new TypeError(`there is no argument ${name}`);
    given[at] = value;
  }
  return Array.from({ length: given.length }, (_, k) => given[k]);
}

export function call(target, given, namedOnes) {
  if (target.prototype instanceof Obj || target.prototype instanceof Error
    || target.prototype instanceof Row)
    return make(target, given, namedOnes);
  if (namedOnes === undefined) return target(...given);
  if (target.$p) return target(...placed(target.$p, [...given, kw(namedOnes)]));
  return target(...given, kw(namedOnes));
}

export function make(kind, given, namedOnes) {
  // no class
  if (Object.getOwnPropertyDescriptor(kind, "prototype")?.writable !== false)
    return call(kind, given, namedOnes);
  if (namedOnes === undefined) return new kind(...given);
  if (kind === Group) return new kind(kw(namedOnes));
  return new kind(...placed(orderOf(kind), [...given, kw(namedOnes)]));
}

function orderOf(kind) {
  return kind.$p ?? kind.$p___init__ ?? [];
}

/** What a comprehension makes: of each thing, or of those that pass a test. */
export function listed(things, make, test = () => true) {
  const made = [];
  for (const thing of things) if (test(thing)) made.push(make(thing));
  return made;
}

export function instance(kind, own) {
  return Object.assign(Object.create(kind.prototype), own);
}

export function replace(value, changes) {
  const made = Object.create(Object.getPrototypeOf(value));
  return Object.assign(made, value, changes.named);
}

function builtinMethods(value) {
  if (typeof value === "string") return STRING;
  if (Array.isArray(value)) return value instanceof Tuple ? TUPLE : LIST;
  if (isNumber(value)) return NUMBER;
  return null;
}

export function attr(value, name) {
  const methods = builtinMethods(value);
  if (methods !== null && Object.hasOwn(methods, name))
    return (...given) => methods[name](value, ...given);
  const found = value[name];
  if (found === undefined) throw new AttributeError(`${repr(value)} has no ${name}`);
  return typeof found === "function" && !Object.hasOwn(value, name) ? found.bind(value) : found;
}

export function method(value, name, ...given) {
  const methods = builtinMethods(value);
  if (methods !== null && Object.hasOwn(methods, name)) return methods[name](value, ...given);
  const found = value[name];
  if (found === undefined) throw new AttributeError(`${repr(value)} has no ${name}`);
  if (Object.hasOwn(value, name)) {
    const own = given.at(-1) instanceof Kw ? given.pop().named : undefined;
    return call(found, given, own);
  }
  const order = value.constructor[`$p_${name}`];
  return value[name](...(order ? placed(order, given) : given));
}

export function kept(owner, name, compute) {
  const value = compute();
  Object.defineProperty(owner, name, { value, configurable: true });
  return value;
}

export function cached(target) {
  const known = new Map();
  const made = (...given) => {
    const key = keyOf(given);
    if (!known.has(key)) {
      if (known.size > 1000) known.clear();
      known.set(key, target(...given));
    }
    return known.get(key);
  };
  made.$p = target.$p;
  return made;
}

export const set_attribute = (owner, name, value) => void (owner[name] = value);
export const cast = (kind, value) => value;

export function isinstance(value, kinds) {
  return kinds.some((kind) => {
    if (kind.$is) return kind.$is(value);
    return typeof kind === "function" && value instanceof kind;
  });
}

// ------------------------------------------------------------ context managers

class Entered {
  constructor(steps) {
    this.steps = steps;
  }
}
export const entered = (steps) => new Entered(steps);
export const context = (target) => (...given) => new Entered(target(...given));
export const enter = (one) => one.steps.next().value ?? null;
export const leave = (one) => void one.steps.next();

class ContextVar {
  constructor(value) {
    this.value = value;
  }
  get() {
    return this.value;
  }
  set(value) {
    const before = this.value;
    this.value = value;
    return before;
  }
  reset(before) {
    this.value = before;
    return null;
  }
}
export const context_var = (value) => new ContextVar(value);

// ------------------------------------------------------------ texts

export function str(value) {
  if (typeof value === "string") return value;
  if (value instanceof PyError) return value.message;
  return repr(value);
}

export function repr(value) {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") {
    const mark = value.includes("'") && !value.includes('"') ? '"' : "'";
    return mark + value.replace(/\\/g, "\\\\").replaceAll(mark, `\\${mark}`)
      .replace(/(?! )[\p{C}\p{Z}]/gu, escapeOf) + mark;
  }
  if (isNumber(value)) return String(value);
  if (value instanceof Tuple)
    return `(${value.map(repr).join(", ")}${value.length === 1 ? "," : ""})`;
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (value instanceof Dict)
    return `{${value.items().map(([key, one]) => `${repr(key)}: ${repr(one)}`).join(", ")}}`;
  if (value instanceof PySet) return value._size ? `{${[...value].map(repr).join(", ")}}` : "set()";
  if (value instanceof Range) return `range(${value.start}, ${value.stop})`;
  if (value instanceof NdArray) return repr(value.tolist());
  return typeof value === "function" ? "<function>" : String(value);
}

const SHORT_ESCAPES = { 9: "\\t", 10: "\\n", 13: "\\r" };

// A character as Python writes it where it cannot be printed.
function escapeOf(sign) {
  const code = sign.codePointAt(0);
  const [letter, width] = code < 256 ? ["x", 2] : code < 65536 ? ["u", 4] : ["U", 8];
  return SHORT_ESCAPES[code] ?? `\\${letter}${code.toString(16).padStart(width, "0")}`;
}

/** What reprlib makes of a value from outside with the limits of `checks.py`: it is short, however
 * long or deep the value is. */
function shortened(value, level) {
  const several = (values, most, show) => {
    if (level <= 0 && values.length) return "...";
    return [...values.slice(0, most).map(show), ...(values.length > most ? ["..."] : [])].join(", ");
  };
  const inner = (one) => shortened(one, level - 1);
  if (value instanceof Tuple)
    return `(${several(value, 6, inner)}${value.length === 1 ? "," : ""})`;
  if (Array.isArray(value)) return `[${several(value, 6, inner)}]`;
  if (value instanceof Dict) {
    const entry = (key) => `${inner(key)}: ${inner(value._get(key))}`;
    return `{${several(sorted(value.keys()), 4, entry)}}`;
  }
  if (typeof value === "bigint" && b.abs(value) >= 2n ** 200n)
    return `an integer of ${NUMBER.bit_length(value)} bits`;
  const signs = typeof value === "string" ? [...value] : null;
  let text = [...repr(signs === null ? value : signs.slice(0, 60).join(""))];
  if (text.length <= 60) return text.join("");
  if (signs !== null) text = [...repr([...signs.slice(0, 28), ...signs.slice(-29)].join(""))];
  return `${text.slice(0, 28).join("")}...${text.slice(-29).join("")}`;
}
export const short = { repr: (value) => shortened(value, 3) };

const SPEC = /^(?:(.)?([<>^=]))?([+ -])?(0)?(\d+)?(,)?(?:\.(\d+))?([dfgsx%])?$/u;

export function format(value, spec) {
  const match = SPEC.exec(spec);
  if (match === null) throw new ValueError(`the format ${spec}`);
  let [, sign, side, plus, zero, width, comma, digits, kind] = match;
  let text = str(value);
  if (isNumber(value)) {
    if (kind === "f" || (digits !== undefined && kind === undefined))
      text = rounded(value, Number(digits ?? 6)).toFixed(Number(digits ?? 6));
    else if (kind === "g") text = String(Number(Number(value).toPrecision(Number(digits ?? 6))));
    else if (kind === "x") text = value.toString(16);
    else if (kind === "%") text = `${(Number(value) * 100).toFixed(Number(digits ?? 6))}%`;
    else text = String(value);
    if (comma) text = text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    if (plus === "+" && value >= 0) text = `+${text}`;
  } else if (digits !== undefined) text = text.slice(0, Number(digits));
  const room = Number(width ?? 0) - [...text].length;
  if (room <= 0) return text;
  if (zero && side === undefined)
    return text.replace(/^([+-]?)/, (found) => found + "0".repeat(room));
  const fill = (count) => (sign ?? " ").repeat(count);
  const where = side ?? (isNumber(value) ? ">" : "<");
  if (where === "^") return fill(Math.floor(room / 2)) + text + fill(Math.ceil(room / 2));
  return where === "<" ? text + fill(room) : fill(room) + text;
}

function rounded(value, digits) {
  const scale = 10 ** digits;
  const scaled = Number(value) * scale;
  const low = Math.floor(scaled);
  // a true tie goes to the even
  if (scaled - low === 0.5 && Number.isInteger(Number(value) * 2 ** (digits + 1)))
    return (low % 2 === 0 ? low : low + 1) / scale;
  return Number(Number(value).toFixed(digits));
}

const stripped = (text, signs, left, right) => {
  const is = (sign) => (
    signs === undefined || signs === null ? /\s/.test(sign) : signs.includes(sign));
  let [first, last] = [0, text.length];
  while (left && first < last && is(text[first])) first++;
  while (right && last > first && is(text[last - 1])) last--;
  return text.slice(first, last);
};

const STRING = {
  join: (text, values) => [...values].join(text),
  split: (text, mark, most = -1) => {
    if (mark === undefined || mark === null) return text.split(/\s+/).filter(Boolean);
    const parts = text.split(mark);
    return most < 0 || parts.length <= most + 1
      ? parts
      : [...parts.slice(0, most), parts.slice(most).join(mark)];
  },
  splitlines: (text) => (text === "" ? [] : text.replace(/\n$/, "").split("\n")),
  partition: (text, mark) => {
    const at = text.indexOf(mark);
    return tuple(at < 0 ? [text, "", ""] : [text.slice(0, at), mark, text.slice(at + mark.length)]);
  },
  rpartition: (text, mark) => {
    const at = text.lastIndexOf(mark);
    return tuple(at < 0 ? ["", "", text] : [text.slice(0, at), mark, text.slice(at + mark.length)]);
  },
  replace: (text, old, other, most = -1) => {
    if (most < 0) return text.replaceAll(old, () => other);
    for (let k = 0; k < most; k++) text = text.replace(old, () => other);
    return text;
  },
  startswith: (text, start) => (
    Array.isArray(start) ? start.some((one) => text.startsWith(one)) : text.startsWith(start)),
  endswith: (text, end) => (
    Array.isArray(end) ? end.some((one) => text.endsWith(one)) : text.endsWith(end)),
  strip: (text, signs) => stripped(text, signs, true, true),
  lstrip: (text, signs) => stripped(text, signs, true, false),
  rstrip: (text, signs) => stripped(text, signs, false, true),
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
  capitalize: (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase(),
  title: (text) => text.toLowerCase().replace(
    /(^|[^a-z])([a-z])/g, (_, before, letter) => before + letter.toUpperCase()),
  isdigit: (text) => /^\d+$/.test(text),
  isascii: (text) => /^[\x00-\x7f]*$/.test(text),
  isalpha: (text) => /^\p{L}+$/u.test(text),
  isprintable: (text) => !/[\p{C}\p{Z}]/u.test(text.replaceAll(" ", "")),
  isspace: (text) => /^[\p{Z}\t-\r\x1c-\x1f\x85]+$/u.test(text),
  count: (text, part) => text.split(part).length - 1,
  index: (text, part) => {
    const at = text.indexOf(part);
    if (at < 0) throw new ValueError("substring not found");
    return at;
  },
  find: (text, part) => text.indexOf(part),
  removeprefix: (text, start) => (text.startsWith(start) ? text.slice(start.length) : text),
  removesuffix: (text, end) => (end && text.endsWith(end) ? text.slice(0, -end.length) : text),
  ljust: (text, width) => text.padEnd(width),
  rjust: (text, width) => text.padStart(width),
  zfill: (text, width) => text.padStart(width, "0"),
  format: (text, ...given) => {
    const own = named(given);
    let next = 0;
    return text.replace(/\{\{|\}\}|\{(\w*)(?::([^}]*))?\}/g, (found, name, spec) => {
      if (found === "{{" || found === "}}") return found[0];
      const value = name === "" ? given[next++]
        : /^\d+$/.test(name)    ? given[Number(name)]
                                : own[name];
      return spec ? format(value, spec) : str(value);
    });
  },
};

const TUPLE = {
  index: (values, value) => {
    const at = values.findIndex((one) => eq(one, value));
    if (at < 0) throw new ValueError(`${repr(value)} is not in the list`);
    return at;
  },
  count: (values, value) => values.filter((one) => eq(one, value)).length,
};

const LIST = {
  ...TUPLE,
  append: (values, value) => (values.push(value), null),
  extend: (values, others) => (values.push(...others), null),
  insert: (values, at, value) => (values.splice(at, 0, value), null),
  pop: (values, at = -1) => values.splice(place(values.length, at), 1)[0],
  remove: (values, value) => (values.splice(TUPLE.index(values, value), 1), null),
  reverse: (values) => (values.reverse(), null),
  clear: (values) => ((values.length = 0), null),
  copy: (values) => [...values],
  sort: (values, ...given) => {
    const result = sorted(values, ...given);
    values.splice(0, values.length, ...result);
    return null;
  },
};

const NUMBER = {
  bit_count: (value) => [...BigInt(value).toString(2)].filter((digit) => digit === "1").length,
  bit_length:
    (value) => (Number(value) === 0 ? 0 : BigInt(value).toString(2).replace("-", "").length),
  item: (value) => value,
  is_integer: (value) => Number.isInteger(value),
};

// ------------------------------------------------------------ built-in functions

export const items = (values) => values.items();

function sorted(values, options) {
  const { key = null, reverse = false } = options?.named ?? {};
  const rows = [...values].map(
    (value, at) => ({ value, at, by: key ? call(key, [value]) : value }));
  rows.sort((one, other) => (reverse ? -1 : 1) * compare(one.by, other.by) || one.at - other.at);
  return rows.map((row) => row.value);
}

function best(given, sign) {
  const { key = null, default: usual } = named(given);
  const values = given.length === 1 ? [...given[0]] : given;
  if (values.length === 0) {
    if (usual === undefined) throw new ValueError("of nothing there is no largest or smallest");
    return usual;
  }
  const by = (value) => (key ? call(key, [value]) : value);
  let [found, rank] = [values[0], by(values[0])];
  for (const value of values.slice(1)) {
    const own = by(value);
    if (sign * compare(own, rank) > 0) [found, rank] = [value, own];
  }
  return found;
}

const kindOf = (made, is) => Object.assign(made, { $is: is });

export const b = {
  abs: (value) => (value < 0 ? -value : value),
  all: (values) => [...values].every(t),
  any: (values) => [...values].some(t),
  ascii: (value) => repr(value).replace(/[^\x00-\x7f]/gu, escapeOf),
  bool: kindOf((value = false) => t(value), (value) => typeof value === "boolean"),
  divmod: (one, other) => tuple([floordiv(one, other), mod(one, other)]),
  dict: Object.assign(
    kindOf(
      (values = [], options = undefined) => {
        const made = new Dict(values instanceof Dict ? values.items()
            : values instanceof Kw                   ? []
                                                     : values);
        const own = values instanceof Kw ? values : options;
        if (own)
          for (const [key, value] of Object.entries(own.named)) made._put(key, value);
        return made;
      },
      (value) => value instanceof Dict),
    {fromkeys: (keys, value = null) => new Dict([...keys].map((key) => [key, value]))},
    ),
  enumerate: (values, start = 0) => {
    const first = start instanceof Kw ? start.named.start : start;
    return Array.from(values, (value, k) => [first + k, value]);
  },
  filter:
    (test, values) => [...values].filter((value) => t(test === null ? value : call(test, [value]))),
  float: kindOf(Number, (value) => typeof value === "number" && !Number.isInteger(value)),
  frozenset: kindOf((values = []) => new PySet(values), (value) => value instanceof PySet),
  getattr: (value, name, usual) => {
    const found = value[name];
    if (found !== undefined) return attr(value, name);
    if (usual === undefined) throw new AttributeError(`no ${name}`);
    return usual;
  },
  hasattr: (value, name) => (name === "__len__" ? Sized.$is(value) : value[name] !== undefined),
  int:
    kindOf(
      (value = 0) => {
        if (typeof value === "string") {
          if (!/^\s*[+-]?\d+\s*$/.test(value)) throw new ValueError(`no integer: ${repr(value)}`);
          return tidy(BigInt(value.trim()));
        }
        return typeof value === "bigint" ? value : Math.trunc(Number(value));
      },
      (value) => Number.isInteger(value) || typeof value === "bigint"
        || typeof value === "boolean"),
  iter: (values) => values[Symbol.iterator](),
  len: (values) => {
    if (typeof values === "string") return [...values].length;
    if (Array.isArray(values)) return values.length;
    if (values === null || values._size === undefined)
      throw new TypeError(`${repr(values)} has no length`);
    return values._size;
  },
  list: kindOf(
    (values = []) => [...values], (value) => Array.isArray(value) && !(value instanceof Tuple)),
  map: (target, ...several) => b.zip(...several).map((given) => call(target, [...given])),
  max: (...given) => best(given, 1),
  min: (...given) => best(given, -1),
  next: (values, usual) => {
    const iterator = values[Symbol.iterator] && typeof values.next !== "function"
      ? values[Symbol.iterator]()
      : values;
    const { value, done } = iterator.next();
    if (!done) return value;
    if (usual === undefined) throw new StopIteration();
    return usual;
  },
  object: Obj,
  pow,
  print: () => null,
  range: kindOf(
    (start, stop, step = 1) => (stop === undefined ? new Range(0, Number(start), 1)
                                                   : new Range(Number(start), Number(stop), step)),
    (value) => value instanceof Range),
  repr,
  reversed: (values) => [...values].reverse(),
  round: (value, digits = null) => (digits === null ? rounded(value, 0) : rounded(value, digits)),
  set: kindOf((values = []) => new PySet(values), (value) => value instanceof PySet),
  sorted,
  str: kindOf((value = "") => str(value), (value) => typeof value === "string"),
  sum: (values, start = 0) => {
    let total = start;
    for (const value of values) total = add(total, value);
    return total;
  },
  tuple: kindOf((values = []) => tuple(values), (value) => value instanceof Tuple),
  type: (value) => {
    if (value === null) return None;
    if (typeof value === "boolean") return b.bool;
    if (typeof value === "string") return b.str;
    if (isNumber(value))
      return Number.isInteger(value) || typeof value === "bigint" ? b.int : b.float;
    if (Array.isArray(value)) return value instanceof Tuple ? b.tuple : b.list;
    if (value instanceof Dict) return b.dict;
    return value.constructor;
  },
  zip: (...several) => {
    const options = named(several);
    const rows = several.map((values) => [...values]);
    const length = rows.length ? Math.min(...rows.map((row) => row.length)) : 0;
    if (options.strict && rows.some((row) => row.length !== length))
      throw new ValueError("zip() arguments have different lengths");
    return Array.from({ length }, (_, k) => rows.map((row) => row[k]));
  },
};
for (const name
       of ["bool", "dict", "float", "frozenset", "int", "list", "range", "set", "str", "tuple"])
  b[name].__name__ = name;

// ------------------------------------------------------------ of the standard library

export const ceil = (value) => Math.ceil(value);
export const floor = (value) => Math.floor(value);
export const normalize = (form, text) => text.normalize(form);
const CATEGORIES =
  `Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co`
    .split(" ")
    .map((name) => [name, new RegExp(`^\\p{${name}}$`, "u")]);
export const category = (sign) => CATEGORIES.find(([, has]) => has.test(sign))?.[0] ?? "Cn";
export const escape = (text) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
export const randbits = () => globalThis.crypto.getRandomValues(new BigUint64Array(1))[0];

export function deepcopy(value) {
  if (value instanceof Dict)
    return new Dict(value.items().map(([key, one]) => [key, deepcopy(one)]));
  if (!Array.isArray(value)) return value;
  return value instanceof Tuple ? tuple(value.map(deepcopy)) : value.map(deepcopy);
}

/** Random numbers from a seed (SplitMix64); others than those of Python. */
export class Random extends Obj {
  __init__(seed) {
    this.state = BigInt(seed);
  }
  _word() {
    this.state = BigInt.asUintN(64, this.state + 0x9e3779b97f4a7c15n);
    let word = this.state;
    word = BigInt.asUintN(64, (word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n);
    word = BigInt.asUintN(64, (word ^ (word >> 27n)) * 0x94d049bb133111ebn);
    return word ^ (word >> 31n);
  }
  getrandbits(count) {
    return tidy(this._word() >> BigInt(64 - count)); // up to 64
  }
  randrange(stop) {
    return Math.floor(Number(this._word() >> 11n) / 2 ** 53 * Number(stop));
  }
  choice(values) {
    return get(values, this.randrange(b.len(values)));
  }
  shuffle(values) {
    for (let k = values.length - 1; k > 0; k--) {
      const at = this.randrange(k + 1);
      [values[k], values[at]] = [values[at], values[k]];
    }
    return null;
  }
  sample(values, count) {
    const mixed = [...values];
    if (count > mixed.length) throw new ValueError("a sample is larger than what it is taken from");
    this.shuffle(mixed);
    return mixed.slice(0, count);
  }
}

export const reduce = (target, values, ...start) => [...start, ...values].reduce(
  (one, other) => call(target, [one, other]));
export const pairwise = (values) => [...values].slice(1).map((value, k) => [[...values][k], value]);
export const flatnonzero = (values) => [...values].flatMap((value, k) => (t(value) ? [k] : []));
export const product = (...several) => several
                                         .reduce(
                                           (rows, values) => rows.flatMap(
                                             (row) => [...values].map((value) => [...row, value])),
                                           [[]])
                                         .map(tuple);
export const chain = Object.assign((...several) => several.flatMap((values) => [...values]), {
  from_iterable: (values) => [...values].flatMap((one) => [...one]),
});
export function groupby(values, key = null) {
  const by = key instanceof Kw ? key.named.key : key;
  const groups = [];
  for (const value of values) {
    const own = by ? call(by, [value]) : value;
    if (groups.length && eq(groups.at(-1)[0], own)) groups.at(-1)[1].push(value);
    else groups.push([own, [value]]);
  }
  return groups;
}

class Match {
  constructor(found) {
    this.found = found;
  }
  _get(key) {
    const value = typeof key === "number" ? this.found[key] : this.found.groups[key];
    return value ?? null;
  }
  group(key = 0) {
    return this._get(key);
  }
  end() {
    return this.found.index + this.found[0].length;
  }
}

class Pattern {
  constructor(source, flags) {
    const own = source.replace(/\(\?P</g, "(?<");
    this.sticky = new RegExp(own, `uy${flags ? "i" : ""}`);
    this.whole = new RegExp(`^(?:${own})$`, `u${flags ? "i" : ""}`);
    this.all = new RegExp(own, `gu${flags ? "i" : ""}`);
  }
  fullmatch(text) {
    const found = this.whole.exec(text);
    return found && new Match(found);
  }
  match(text) {
    this.sticky.lastIndex = 0;
    const found = this.sticky.exec(text);
    return found && new Match(found);
  }
  search(text) {
    this.all.lastIndex = 0;
    const found = this.all.exec(text);
    return found && new Match(found);
  }
  findall(text) {
    return [...text.matchAll(this.all)].map((found) => found[1] ?? found[0]);
  }
  sub(other, text) {
    return text.replace(this.all,
      (...found) => (typeof other === "string" ? other : str(call(other, [new Match(found)]))));
  }
}
const patterns = new Map();
export function pattern(source, flags = 0) {
  const key = `${flags}${source}`;
  if (!patterns.has(key)) patterns.set(key, new Pattern(source, flags));
  return patterns.get(key);
}
export const re_sub = (source, other,
  text) => (source instanceof Pattern ? source : pattern(source)).sub(other, text);
export const re_split = (source, text) => text.split(pattern(source).all);
export const re_findall = (source,
  text) => (source instanceof Pattern ? source : pattern(source)).findall(text);

export class Formatter {
  parse(text) {
    const rows = [];
    let plain = "";
    for (let at = 0; at < text.length; at++) {
      if ((text[at] === "{" || text[at] === "}") && text[at + 1] === text[at]) plain += text[at++];
      else if (text[at] === "{") {
        const end = text.indexOf("}", at);
        const [name, ...spec] = text.slice(at + 1, end).split(":");
        rows.push([plain, name, spec.join(":"), null]);
        [plain, at] = ["", end];
      } else plain += text[at];
    }
    if (plain) rows.push([plain, null, null, null]);
    return rows;
  }
}

// ------------------------------------------------------------ drawsvg, as far as sheets need it

export class Raw extends Obj {
  __init__(text) {
    this.text = text;
  }
  toString() {
    return this.text;
  }
}

export class Group extends Obj {
  constructor(...given) {
    super();
    this.named = named(given);
    this.parts = [];
  }
  append(part) {
    this.parts.push(part);
    return null;
  }
  append_title(words) {
    this.parts.push(`<title>${escape(words)}</title>`);
    return null;
  }
  toString() {
    const own = Object.entries(this.named).map(([name,
      value]) => ` ${name.replace(/_/g, "-")}="${escape(str(value)).replace(/"/g, "&quot;")}"`);
    return `<g${own.join("")}>\n${this.parts.map(String).join("\n")}\n</g>`;
  }
}

export class Drawing extends Obj {
  __init__(width, height) {
    Object.assign(this, { width, height, elements: [] });
  }
  append(part) {
    this.elements.push(part);
    return null;
  }
  as_svg() {
    // the view_box of sheets, too
    const size = `width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${
      this.height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n<defs>\n</defs>\n${
      this.elements.map(String).join("\n")}\n</svg>`;
  }
}
