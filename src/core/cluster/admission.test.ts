import { describe, expect, it } from "vitest";
import { type AdmittedHost, DEFAULT_HOST_RIGHTS, refusalOf, sourceHere } from "./admission.ts";

const laptop = (rights: AdmittedHost["rights"] = DEFAULT_HOST_RIGHTS): AdmittedHost => ({
  ...{ host: "laptop", key: "k", rights },
});
const text = { priority: "normal", isRaw: false, source: "agent" } as const;

describe("what a host may send here", () => {
  it("is messages, unless its owner says more", () => {
    expect(refusalOf(laptop(), text)).toBeUndefined();
    expect(refusalOf(laptop([]), text)).toBe(
      "laptop may not send messages here: bellhop cluster admit laptop KEY --rights send",
    );
    expect(refusalOf(laptop(), { ...text, priority: "interrupt" })).toBe(
      "laptop may not interrupt agents here: bellhop cluster admit laptop KEY --rights send,hear,urgent",
    );
    expect(refusalOf(laptop(), { ...text, isRaw: true })).toBe(
      "laptop may not press keys here: bellhop cluster admit laptop KEY --rights send,hear,raw",
    );
  });

  it("is urgent and raw if it has the rights", () => {
    const most = laptop(["send", "urgent", "raw"]);
    expect(refusalOf(most, { ...text, priority: "interrupt" })).toBeUndefined();
    expect(refusalOf(most, { ...text, isRaw: true })).toBeUndefined();
  });

  it("what came from outside there is from outside here, and may neither interrupt nor press keys", () => {
    const most = laptop(["send", "urgent", "raw", "person"]);
    for (const source of ["bridge", "webhook"] as const) {
      expect(sourceHere(most, source)).toBe(source);
      expect(refusalOf(most, { ...text, source, priority: "interrupt" })).toMatch(/from outside/u);
      expect(refusalOf(most, { ...text, source, isRaw: true })).toMatch(/from outside/u);
    }
  });

  it("a person there is one here only by right", () => {
    expect(sourceHere(laptop(), "person")).toBe("script");
    expect(sourceHere(laptop(["send", "person"]), "person")).toBe("person");
    expect(sourceHere(laptop(), "agent")).toBe("agent");
    expect(sourceHere(laptop(), "script")).toBe("script");
  });
});
