import { describe, expect, it } from "vitest";
import type { HostLink } from "./host-link.ts";
import { hostedTerminal } from "./terminal.ts";

const failing = (code: string) =>
  hostedTerminal({ kind: "pty", server: "pty", pane: "0badcafe" }, {
    ask: async () => ({ type: "failed", id: 1, code, message: "It is too much." }),
  } as unknown as HostLink);

describe("a host that cannot do what it is asked", () => {
  it("has a screen that cannot be read, and says why", async () => {
    expect(await failing("request.malformed").read()).toEqual({
      kind: "unreadable",
      cause: "It is too much.",
    });
    expect(await failing("request.too_large").read()).toEqual({
      kind: "unreadable",
      cause: expect.stringContaining("more than its host can send"),
    });
  });

  it("typed nothing", async () => {
    const outcome = await failing("request.malformed").gate({ panePid: 1 }, []);
    expect(outcome).toEqual({ kind: "refused", because: ["unavailable"] });
  });

  it("tells whoever asked for what cannot be typed", async () => {
    for (const code of ["usage.invalid", "request.too_large"])
      await expect(failing(code).gate({ panePid: 1 }, [])).rejects.toMatchObject({ code });
  });

  it("has shown nobody anything that is known", async () => {
    expect(await failing("request.too_large").announce("x")).toEqual({
      kind: "unknown",
      cause: "It is too much.",
    });
  });
});
