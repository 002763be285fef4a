import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../core/message.ts";
import {
  addElement,
  addMember,
  type JsonArray,
  type JsonObject,
  jsonOf,
  memberOf,
  parseJsonText,
  removeElement,
  removeMember,
  replaceNode,
} from "./json-text.ts";

const object = (text: string) => parseJsonText(text) as JsonObject;
const array = (text: string) => parseJsonText(text) as JsonArray;

describe("parseJsonText", () => {
  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2, "\t"), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(jsonOf(parseJsonText(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ["{", "it ends too early, line 1"],
    ['{\n  "a": 1,\n}', '"}" is unexpected, line 3'],
    ['{\n  // why\n  "a": 1\n}', "JSON has no comments, line 2"],
    ["{'a': 1}", `"'" is unexpected, line 1`],
    ["{a: 1}", "a is not a JSON value, line 1"],
    ['{"a" 1}', '":" is missing, line 1'],
    ['{"a": 1 "b": 2}', '"," is missing, line 1'],
    ['{"a": 01}', "01 is not a JSON value, line 1"],
    ['{"a": "x\ny"}', '"\\"" is unexpected, line 1'],
    ["{} {}", "there is more after the end, line 1"],
    ["", "it ends too early, line 1"],
    ["[".repeat(100), "it is nested deeper than 64 levels, line 1"],
  ])("refuses %j", (text, message) => {
    expect(() => parseJsonText(text)).toThrow(message);
    expect(() => JSON.parse(text.length === 100 ? "" : text)).toThrow();
  });

  it("takes the last of two members with one name", () => {
    const text = '{"a": 1, "a": 2}';
    const member = memberOf(object(text), "a");
    expect(member && jsonOf(member.value)).toBe(2);
  });
});

describe("editing", () => {
  it("keeps the file's own indentation and line ends", () => {
    const text = '{\r\n\t"a": [1,\t2]\r\n}\r\n';
    expect(addMember(text, object(text), "b", { c: [1] })).toBe(
      '{\r\n\t"a": [1,\t2],\r\n\t"b": {\r\n\t\t"c": [\r\n\t\t\t1\r\n\t\t]\r\n\t}\r\n}\r\n',
    );
  });

  it("keeps a list on one line where it was", () => {
    const text = '{ "a": [{"x": 1}] }';
    const member = memberOf(object(text), "a");
    expect(addElement(text, member?.value as JsonArray, { y: "a  b" })).toBe(
      '{ "a": [{"x": 1}, { "y": "a  b" }] }',
    );
  });

  it("opens an empty container", () => {
    expect(addMember("{}", object("{}"), "a", 1)).toBe('{\n  "a": 1\n}');
    const text = '{\n    "a": []\n}';
    const member = memberOf(object(text), "a");
    expect(addElement(text, member?.value as JsonArray, 1)).toBe('{\n    "a": [\n        1\n    ]\n}');
  });

  it("replaces one value in its place", () => {
    const text = '{\n  "a": 1, "b": 2\n}';
    const member = memberOf(object(text), "a");
    if (member === undefined) throw new Error("no member");
    expect(replaceNode(text, member.value, "x")).toBe('{\n  "a": "x", "b": 2\n}');
  });

  it("removes the first, a middle and the last part with its comma", () => {
    const text = "[\n  1,\n  2,\n  3\n]";
    expect(removeElement(text, array(text), 0)).toBe("[\n  2,\n  3\n]");
    expect(removeElement(text, array(text), 1)).toBe("[\n  1,\n  3\n]");
    expect(removeElement(text, array(text), 2)).toBe("[\n  1,\n  2\n]");
    expect(removeElement("[\n 1 \n]", array("[\n 1 \n]"), 0)).toBe("[]");
  });

  const layout = fc.record({ space: fc.constantFrom<string | number | undefined>(undefined, 2, 4, "\t") });

  it("takes back what it added, to the byte", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.jsonValue(),
        layout,
        (value, added, { space }) => {
          const text = JSON.stringify(value, null, space);
          const name = "never a name of the generator: \u{1f6ce}";
          const changed = addMember(text, object(text), name, added as Json);
          expect(JSON.parse(changed)).toEqual({
            ...JSON.parse(text),
            [name]: JSON.parse(JSON.stringify(added)),
          });
          expect(removeMember(changed, object(changed), name)).toBe(text);
        },
      ),
    );
  });

  it("changes nothing else of an array", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), layout, fc.nat(), (value, { space }, at) => {
        const text = JSON.stringify(value, null, space);
        const changed = addElement(text, array(text), "x");
        expect(JSON.parse(changed)).toEqual([...JSON.parse(text), "x"]);
        expect(removeElement(changed, array(changed), value.length)).toBe(text);
        const index = at % (value.length + 1);
        expect(JSON.parse(removeElement(text, array(text), index))).toEqual(
          JSON.parse(text).toSpliced(index, 1),
        );
      }),
    );
  });
});
