/** Generates values from a JSON schema: some that it accepts, and some that it almost accepts. */
import fc, { type Arbitrary } from "fast-check";

export interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | false;
}

const LONG = 400;

export function valuesOf(schema: Schema, resolve: (reference: string) => Schema): Arbitrary<unknown> {
  const of = (inner: Schema) => valuesOf(inner, resolve);
  if (schema.$ref !== undefined) return of(resolve(schema.$ref));
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(of));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const { type } = schema;
  if (typeof type === "object") return fc.oneof(...type.map((each) => of({ ...schema, type: each })));
  switch (type) {
    case "string":
      return textsOf(schema);
    case "integer":
      return fc.integer({
        min: Math.max(schema.minimum ?? 0, -1e15),
        max: Math.min(schema.maximum ?? 1e15, 1e15),
      });
    case "number":
      return numbersOf(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(of(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 5 });
    case "object":
      return objectsOf(schema, of);
    default:
      return fc.jsonValue({ maxDepth: 4 });
  }
}

function textsOf({ format, pattern, minLength = 0, maxLength = LONG }: Schema): Arbitrary<string> {
  if (format === "date-time") {
    const noInvalidDate = true;
    return fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate })
      .map((date) => date.toISOString());
  }
  if (pattern !== undefined && minLength === 0) return fc.stringMatching(new RegExp(pattern));
  const within = { minLength, maxLength: Math.min(maxLength, LONG) };
  const texts = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.string({
        ...within,
        maxLength: Math.min(within.maxLength, 40),
        unit: "grapheme",
        size: "max",
      }),
    },
    { weight: 1, arbitrary: fc.string({ ...within, unit: "binary", size: "medium" }) },
  );
  return pattern === undefined ? texts : texts.filter((text) => new RegExp(pattern).test(text));
}

function numbersOf({ minimum = -1e9, maximum = 1e9 }: Schema): Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.double({ min: minimum, max: maximum, noNaN: true }),
    fc.integer({ min: Math.ceil(minimum), max: Math.floor(Math.min(maximum, 1_000)) }),
  );
}

function objectsOf(schema: Schema, of: (inner: Schema) => Arbitrary<unknown>): Arbitrary<object> {
  const { properties = {}, required = [], minProperties = 0, additionalProperties } = schema;
  const known = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, of(inner)])),
    { requiredKeys: [...required] },
  );
  if (additionalProperties === undefined || additionalProperties === false)
    return known.filter((drawn) => Object.keys(drawn).length >= minProperties);
  const names = of(schema.propertyNames ?? { type: "string" }) as Arbitrary<string>;
  return fc.dictionary(names, of(additionalProperties), { maxKeys: 4 });
}

const ODD: readonly unknown[] = [
  null,
  "",
  " ",
  -1,
  0,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER,
  true,
  [],
  {},
  ["x"],
  { $ne: null },
  "x".repeat(300_000),
  "\u0000\u001b[31m\u202e",
  "../../etc/passwd",
  "%s%n",
  "__proto__",
];
const ODD_NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "txt",
  "Text",
  "deliveryMode",
  "",
  " ",
  "a.b",
  "\u0000",
];

/** A value with one possible mistake. */
export function almost(value: Record<string, unknown>): Arbitrary<unknown> {
  const names = Object.keys(value);
  const odd = fc.oneof(fc.constantFrom(...ODD), fc.jsonValue({ maxDepth: 3 }));
  const without = (name: string) => Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  const changes: Arbitrary<unknown>[] = [
    fc.tuple(fc.constantFrom(...ODD_NAMES), odd).map(([name, extra]) => ({ ...value, ...own(name, extra) })),
    odd,
    fc.constant([value]),
    fc.constant({ body: value }),
  ];
  if (names.length > 0) {
    const name = fc.constantFrom(...names);
    changes.push(
      name.map(without),
      fc.tuple(name, odd).map(([changed, extra]) => ({ ...without(changed), ...own(changed, extra) })),
      name.map((moved) => ({ ...without(moved), ...own(moved.toUpperCase(), value[moved]) })),
    );
  }
  return fc.oneof(...changes);
}

/** A literal would set the prototype instead of a field of that name. */
function own(name: string, value: unknown): object {
  return Object.defineProperty({}, name, { value, enumerable: true });
}
