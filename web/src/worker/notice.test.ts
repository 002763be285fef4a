import { describe, expect, it } from "vitest";
import { ATTENTION_KINDS } from "../../../src/core/attention.ts";
import { placeIn } from "../places/place.ts";
import { addressFor, noticeOf } from "./notice.ts";

describe("a notification", () => {
  it.each(ATTENTION_KINDS)("of a %s names its agent, and leads to its card", (kind) => {
    const { title, tag, card } = noticeOf({ id: "08bc57cf.3f9a01", agent: "api", kind });
    expect(title).toMatch(kind === "loop" || kind === "dead-letter" ? /./ : /api/);
    expect([tag, card]).toEqual(["08bc57cf.3f9a01", "08bc57cf.3f9a01"]);
    expect(placeIn(new URL(addressFor(card), "http://bellhop.localhost"))).toEqual({ at: "home", card });
  });

  it.each([
    [{ kind: "many", count: 12, id: "", agent: null }, "12 things need you"],
    [{ kind: "often", agent: "api", id: "x" }, "api asks again and again"],
    [{ kind: "waiting", agent: "api", id: "x" }, "A message for api waits, and no way in is open"],
    [{ kind: "test" }, "Notifications work"],
    [undefined, "Something needs you"],
    [null, "Something needs you"],
    ["text", "Something needs you"],
    [{ kind: "constructor" }, "Something needs you"],
    [{ kind: 1 }, "Something needs you"],
  ])("of %j is shown too, and leads to no card", (payload, title) => {
    const notice = noticeOf(payload);
    expect(notice.title).toBe(title);
    expect(notice.tag).not.toBe("");
    expect(addressFor(notice.card)).toBe("/");
  });

  it("never grows beyond a line", () => {
    const { title, tag } = noticeOf({ kind: "question", agent: "x".repeat(9_999), id: "y".repeat(9_999) });
    expect(title.length).toBeLessThan(200);
    expect(tag.length).toBe(100);
  });
});
