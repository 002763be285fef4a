import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { openapiDocument } from "./openapi.ts";
import { type HttpOperation, OPERATIONS } from "./operations.ts";

const document = openapiDocument() as unknown as Document;
interface Document {
  readonly openapi: string;
  readonly security: readonly object[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, object>;
    readonly responses: Record<string, object>;
  };
}
interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: object; readonly example: object }>;
  };
  readonly responses: Record<string, object>;
}

function referencesIn(value: unknown): readonly string[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : referencesIn(inner),
  );
}

describe("/openapi.json", () => {
  it("has every operation once, with its own name", () => {
    expect(document.openapi).toBe("3.1.0");
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
      ),
    );
    const expected = Object.entries<HttpOperation>(OPERATIONS).map(
      ([name, { method, path }]) => `${name} ${method} ${path}`,
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it("refers only to what is there", () => {
    const references = referencesIn(document);
    expect(references.length).toBeGreaterThan(50);
    for (const reference of references) {
      const steps = reference.replace(/^#\//, "").split("/");
      const target = steps.reduce<unknown>(
        (at, step) => (at as Record<string, unknown> | undefined)?.[step],
        document,
      );
      expect(target, reference).toBeDefined();
    }
  });

  it("declares every parameter of a path, and no other", () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const written = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters = [] } of Object.values(methods)) {
        const declared = parameters.filter((parameter) => parameter.in === "path");
        expect(declared.map(({ name }) => name)).toEqual(written);
        expect(declared.every(({ required }) => required)).toBe(true);
      }
    }
  });

  it("needs a token everywhere but at healthz", () => {
    expect(document.security).toEqual([{ token: [] }]);
    const open = Object.entries(document.paths).filter(([, methods]) =>
      Object.values(methods).some(({ security }) => security?.length === 0),
    );
    expect(open.map(([path]) => path)).toEqual(["/healthz"]);
  });

  it("has schemas that a validator takes, and examples that they take", () => {
    // The document as a whole is not a schema; only its parts are.
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "https://bellhop.test/openapi.json", ...document });
    for (const name of Object.keys(document.components.schemas))
      expect(
        ajv.compile({ $ref: `https://bellhop.test/openapi.json#/components/schemas/${name}` }),
      ).toBeTypeOf("function");
    const bodies = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ requestBody }) => requestBody?.content["application/json"] ?? []);
    expect(bodies.length).toBe(19);
    for (const { schema, example } of bodies) {
      const [reference = ""] = referencesIn(schema);
      const check = ajv.compile({ $ref: `https://bellhop.test/openapi.json${reference}` });
      expect(check(example), JSON.stringify(check.errors)).toBe(true);
      expect(check({ ...example, surprise: 1 })).toBe(false);
    }
  });

  it("takes the default of the delivery mode from where the door takes it", () => {
    const { properties } = document.components.schemas.SendRequest as {
      readonly properties: Record<string, { readonly default?: unknown }>;
    };
    expect(properties.delivery_mode?.default).toBe("sequential");
  });

  it("lets answers grow: no object of an answer is closed", () => {
    for (const name of ["Sent", "SendQueue", "MessageStatus", "Status", "Error"])
      expect(JSON.stringify(document.components.schemas[name])).not.toContain('"additionalProperties":false');
  });

  it("declares every error as the one shape", () => {
    for (const response of Object.values(document.components.responses))
      expect(referencesIn(response)).toEqual(["#/components/schemas/Error"]);
  });
});
