import { describe, expect, it } from "vitest";
import type { AdmittedHost } from "./admission.ts";
import { stampHere } from "./stamps.ts";

const WITHOUT: AdmittedHost = { host: "a", key: "key", rights: ["send"] };
const TRUSTED: AdmittedHost = { ...WITHOUT, rights: ["send", "person"] };

const said = (command: string | undefined, payload?: unknown) =>
  ({ from: "bellhop/notices@a", source: "bellhop", command, payload: payload as never }) as const;

describe("what another host's Bellhop writes on a message", () => {
  it.each(["page", "desk", "watch", "first-turn", undefined])("says nothing here: %s", (command) => {
    expect(stampHere(TRUSTED, said(command, { code: "1", buttons: [], setBy: "person/dev" }))).toEqual({});
  });

  it("names who set a reminder as somebody of that host, and a person only by right", () => {
    const reminder = (setBy: string) => said("reminder", { text: "look", setBy, code: "1" });
    const names = ["agent/coder", "person/dev", "person/dev@b"];
    expect(names.map((name) => stampHere(WITHOUT, reminder(name)).payload)).toEqual([
      { text: "look", setBy: "agent/coder@a" },
      { text: "look" },
      { text: "look" },
    ]);
    expect(names.map((name) => stampHere(TRUSTED, reminder(name)).payload)).toEqual([
      { text: "look", setBy: "agent/coder@a" },
      { text: "look", setBy: "person/dev@a" },
      { text: "look", setBy: "person/dev@b@a" },
    ]);
  });

  it.each([undefined, null, [], ["setBy"], "setBy", { setBy: 1, text: {} }, { setBy: "**" }, { setBy: "" }])(
    "is read whatever it is: %j",
    (payload) => {
      expect(stampHere(TRUSTED, said("reminder", payload))).toEqual({
        command: "reminder",
        payload: { text: "" },
      });
    },
  );

  it("of others stays as it is", () => {
    const message = { from: "agent/x@a", source: "agent", command: "page", payload: { code: "1" } } as const;
    expect(stampHere(WITHOUT, message)).toEqual({ command: "page", payload: { code: "1" } });
  });
});
