/** Drops fields that are `undefined`: an optional field is either absent or has a value. */
export function present<T extends object>(
  fields: T,
): { readonly [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const kept: { [Key in keyof T]?: Exclude<T[Key], undefined> } = {};
  for (const key in fields) {
    if (fields[key] !== undefined) kept[key] = fields[key] as Exclude<T[typeof key], undefined>;
  }
  return kept;
}
