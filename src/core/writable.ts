/** For an object that is built field by field, and then handed on as it should be. */
export type Writable<T> = { -readonly [Field in keyof T]: T[Field] };
