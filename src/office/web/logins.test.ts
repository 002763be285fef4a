import { describe, expect, it } from "vitest";
import { openDesk } from "../../../tests/desk/desk.ts";
import { RIGHTS } from "../../core/rights/rights.ts";
import { LOGIN_CODE } from "../../core/web/login-code.ts";
import { WEB_SESSION } from "../../core/web/web-session.ts";
import type { LoggedIn } from "../../ports/web-logins.ts";

const BROWSER = { browser: "A browser", host: "bellhop.localhost:2355" };

async function opened() {
  const desk = await openDesk();
  await desk.open();
  const { webLogins: logins } = desk.office;
  const link = async () => (await desk.done(desk.use.web_link({}))).url.split("#")[1] ?? "";
  const logIn = (code: string) => desk.done(logins.logIn(code, BROWSER));
  const inside = async (): Promise<Extract<LoggedIn, { kind: "in" }>> => {
    const outcome = await logIn(await link());
    if (outcome.kind !== "in") throw new Error(outcome.code);
    return outcome;
  };
  return { desk, logins, link, logIn, inside };
}

const proof = ({ cookie, key }: { readonly cookie: string; readonly key: string }) => ({
  cookies: [cookie],
  key,
});

describe("logins to the dashboard", () => {
  it("take one code once, and not when it is old", async () => {
    const { desk, link, logIn } = await opened();
    const code = await link();
    expect(await logIn(code)).toMatchObject({ kind: "in" });
    expect(await logIn(code)).toEqual({ kind: "out", code: "used" });
    const late = await link();
    await desk.clock.advance(LOGIN_CODE.goodForMs);
    expect(await logIn(late)).toEqual({ kind: "out", code: "expired" });
    expect(await logIn("guess")).toEqual({ kind: "out", code: "unknown" });
  });

  it("need cookie and key of the same browser", async () => {
    const { logins, inside } = await opened();
    const [one, other] = [await inside(), await inside()];
    expect(logins.holder(proof(one))).toBe(one.id);
    expect(logins.holder({ cookies: [other.cookie, one.cookie], key: one.key })).toBe(one.id);
    expect(logins.holder({ cookies: [one.cookie], key: other.key })).toBeUndefined();
    expect(logins.holder({ cookies: [one.key], key: one.cookie })).toBeUndefined();
    expect(logins.holder({ cookies: [], key: one.key })).toBeUndefined();
  });

  it("end when unused for thirty days, and are kept by use", async () => {
    const { desk, logins, inside } = await opened();
    const [used, unused] = [await inside(), await inside()];
    desk.clock.setWallClock(WEB_SESSION.idleMs - 1);
    expect(logins.holder(proof(used))).toBe(used.id);
    await desk.clock.advance(1);
    expect(logins.holder(proof(used))).toBe(used.id);
    expect(logins.knows([used.cookie])).toBe(true);
    expect(logins.holder(proof(unused))).toBeUndefined();
    expect(logins.knows([unused.cookie])).toBe(false);
    expect((await desk.use.web_sessions({})).sessions.map(({ id }) => id)).toEqual([used.id]);
  });

  it("end when they are revoked, which is told at once; and so do unused links", async () => {
    const { desk, logins, inside, link, logIn } = await opened();
    const [one, two] = [await inside(), await inside()];
    let told = 0;
    logins.onLoggedOut(() => {
      told += 1;
    });
    expect(await desk.done(desk.use.web_revoke({ id: one.id }))).toEqual({ revoked: [one.id] });
    expect([logins.holder(proof(one)), logins.holder(proof(two)), told]).toEqual([undefined, two.id, 1]);
    await expect(desk.done(desk.use.web_revoke({ id: one.id }))).rejects.toMatchObject({
      code: "web.unknown",
    });
    const code = await link();
    expect(await desk.done(desk.use.web_revoke({}))).toEqual({ revoked: [two.id] });
    expect(logins.holder(proof(two))).toBeUndefined();
    expect(await logIn(code)).toEqual({ kind: "out", code: "unknown" });
  });

  it("keep nothing that could be used", async () => {
    const { desk, inside } = await opened();
    const { cookie, key } = await inside();
    const stored = JSON.stringify(desk.store.read.webSessions());
    expect(stored).not.toContain(cookie);
    expect(stored).not.toContain(key);
  });

  it("are the owner's alone: an agent gets no link, whatever rights it has", async () => {
    const { desk } = await opened();
    const byAgent = new Map([["coder", RIGHTS]]);
    desk.settings = { ...desk.settings, rights: { everyone: RIGHTS, byAgent } };
    const { useCases } = desk.office;
    const agent = { user: "dev", agent: "coder" };
    for (const asked of [
      () => useCases.web_link({}, agent),
      () => useCases.web_sessions({}, agent),
      () => useCases.web_revoke({}, agent),
      () => useCases.quiet_set({ except: [] }, agent),
    ])
      await expect(desk.done<unknown>(asked())).rejects.toMatchObject({ code: "rights.missing" });
  });

  it("have a link for the phone only by a name that is configured", async () => {
    const { desk } = await opened();
    await expect(desk.done(desk.use.web_link({ phone: true }))).rejects.toMatchObject({
      code: "web.unnamed",
    });
  });
});
