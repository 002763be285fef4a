/** The fields that are there. An optional field is absent or has a value; `undefined` would be neither. */
export function present<T extends object>(
  fields: T,
): { readonly [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const kept: { [Key in keyof T]?: Exclude<T[Key], undefined> } = {};
  for (const key in fields) {
    if (fields[key] !== undefined) kept[key] = fields[key] as Exclude<T[typeof key], undefined>;
  }
  return kept;
}
