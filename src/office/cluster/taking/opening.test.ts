import { expect, it } from "vitest";
import { BellhopError } from "../../../core/errors.ts";
import { nobodyHere } from "../../accept/submission.ts";
import { refusalBy } from "./opening.ts";

it("a letter is refused for what it says, never because this host is in trouble", () => {
  const error = (code: BellhopError["code"]) => new BellhopError(code, { message: "Words.", next: "Do." });
  expect(refusalBy(error("message.too_large"))).toEqual({ why: "other", words: "Words" });
  expect(refusalBy(error("recipient.unknown"))).toEqual({ why: "other", words: "Words" });
  expect(refusalBy(nobodyHere("nobody hears it"))).toMatchObject({ why: "nobody" });
  for (const code of ["store.disk_full", "store.failed", "daemon.stopping", "internal.bug"] as const)
    expect(refusalBy(error(code))).toBeUndefined();
  expect(refusalBy(new Error("a bug"))).toBeUndefined();
});
