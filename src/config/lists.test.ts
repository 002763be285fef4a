import { describe, expect, it } from "vitest";
import { parseConfig } from "./config.ts";

const notifyOf = (text: string) => parseConfig(text, "config.yaml").values.notify;

describe("notify in config.yaml", () => {
  it("is a list of ways, one way, or off", () => {
    expect(notifyOf("")).toEqual(["tmux"]);
    expect(notifyOf("notify: [desktop, tmux]")).toEqual(["tmux", "desktop"]);
    expect(notifyOf("notify: bell")).toEqual(["bell"]);
    expect(notifyOf("notify: off")).toEqual([]);
    expect(notifyOf("notify: [off]")).toEqual([]);
    expect(parseConfig("notify: off", "config.yaml").shown.notify).toEqual(["off"]);
  });

  it.each([
    ["notify: [tmuxx]", 'no way "tmuxx": did you mean "tmux"?'],
    ["notify: [off, tmux]", '"off" stands alone'],
    ["notify: []", "name at least one of tmux, bell, desktop, off"],
    ["notify: 3", "expected a text"],
  ])("refuses %s", (text, why) => {
    expect(() => notifyOf(text)).toThrow(why);
  });
});
