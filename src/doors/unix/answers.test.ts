import fc from "fast-check";
import { expect, it } from "vitest";
import { success } from "./answers.ts";

it("puts a brief answer together as JSON would write it", () => {
  const reqIds = fc.oneof(fc.constant(undefined), fc.string(), fc.double());
  const unmatched = fc.constantFrom(true, false, undefined);
  fc.assert(
    fc.property(fc.string(), reqIds, fc.string(), unmatched, (version, reqId, messageId, isUnmatched) => {
      const result = { messageId, shortId: "abc123", unmatched: isUnmatched };
      const whole = {
        ok: true,
        req_id: reqId,
        version,
        result: { message_id: messageId, unmatched: isUnmatched === true },
      };
      const line = success(version, { reqId, form: "enveloped", brief: true }, result, "route");
      expect(line).toBe(`${JSON.stringify(whole)}\n`);
    }),
  );
});
