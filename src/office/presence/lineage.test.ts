import { describe, expect, it } from "vitest";
import { OWNER, route } from "../../../tests/desk/broker-verbs.ts";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { DeskHosts } from "../../../tests/desk/hosts.ts";
import type { Claims } from "../../wire/verbs/claims.ts";

async function start(desk: Desk, name: string, claims: Claims = OWNER): Promise<Claims> {
  const request = { command: ["plain"], name, folder: "/home/dev", environment: {}, claims };
  const { sessionId } = await desk.done(desk.use.run(request));
  return { user: "dev", session: sessionId };
}

/** A lead with two children, one of which has a child, and an unrelated agent. */
async function family() {
  const desk = await openDesk();
  desk.hosts = new DeskHosts(desk);
  await desk.open();
  const lead = await start(desk, "lead");
  const web = await start(desk, "web", lead);
  const api = await start(desk, "api", lead);
  const tests = await start(desk, "tests", api);
  await start(desk, "other");
  return { desk, lead, web, api, tests };
}

async function reached(desk: Desk, path: string, claims: Claims = OWNER): Promise<readonly string[]> {
  return (await route(desk, path, { claims })).deliveredTo;
}

describe("agents that other agents started", () => {
  it("are reached with all of theirs by agent/<parent>/**, and so is the parent, unless it says so itself", async () => {
    const { desk, lead } = await family();
    expect(await reached(desk, "agent/lead/**")).toEqual(["api", "lead", "tests", "web"]);
    expect(await reached(desk, "agent/lead/**", lead)).toEqual(["api", "tests", "web"]);
    expect(await reached(desk, "agent/api/**", lead)).toEqual(["api", "tests"]);
    expect(await reached(desk, "agent/other/**")).toEqual(["other"]);
  });

  it("are reached without theirs by agent/<parent>/*, and once by what reaches everybody", async () => {
    const { desk } = await family();
    expect(await reached(desk, "agent/lead/*")).toEqual(["api", "web"]);
    expect(await reached(desk, "agent/*")).toEqual(["api", "lead", "other", "tests", "web"]);
    expect(await reached(desk, "agent/**")).toEqual(["api", "lead", "other", "tests", "web"]);
  });

  it("have an address under each of those above them", async () => {
    const { desk, web } = await family();
    expect(await reached(desk, "agent/lead/web")).toEqual(["web"]);
    expect(await reached(desk, "agent/lead/web", web)).toEqual(["web"]);
    expect(await reached(desk, "agent/lead/api/tests")).toEqual(["tests"]);
    expect(await reached(desk, "agent/api/tests")).toEqual(["tests"]);
    expect((await route(desk, "agent/web/api")).unmatched).toBe(true);
    const { deliveries } = await desk.send("agent/lead/api", "hello");
    expect(deliveries).toMatchObject([{ to: "agent/api" }]);
  });
});
