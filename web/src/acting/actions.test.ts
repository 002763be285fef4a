import { describe, expect, it } from "vitest";
import type { BoardAgent, BoardSession } from "../../../src/wire/shapes/board.ts";
import { actionsFor, requestFor } from "./actions.ts";

const session: BoardSession = {
  id: "08bc57cf",
  agent: "a/b",
  label: "work:0.0",
  program: "claude",
  terminal: { kind: "pty" },
  restartable: true,
  readiness: "idle",
  queued: 0,
  headline: "",
  startedAt: 1,
  since: 1,
  drafts: 0,
};
const agent: BoardAgent = {
  name: "a/b",
  createdAt: 1,
  origin: "added",
  paused: false,
  mail: 1,
  queued: 0,
  turns: [],
  sessions: [],
};
const names = (...of: Parameters<typeof actionsFor>) => actionsFor(...of).map(({ name }) => name);

describe("what can be done", () => {
  it("depends on whether its program runs", () => {
    expect(names(agent, session)).toEqual(["pause", "rename", "resume", "restart", "stop"]);
    expect(names({ ...agent, paused: true }, undefined)).toEqual(["unpause"]);
    const ended = { ...session, readiness: "exited" as const };
    expect(names(agent, ended)).toEqual(["start-resumed", "start", "pause"]);
  });

  it("does not include what Bellhop refuses for a program that it has not started", () => {
    const { restartable: _, ...found } = session;
    expect(names(agent, found)).toEqual(["pause", "rename"]);
    expect(names(agent, { ...found, readiness: "exited" })).toEqual(["pause"]);
  });

  it("asks first before a program ends", () => {
    const needs = Object.fromEntries(actionsFor(agent, session).map((one) => [one.name, one.needs]));
    expect(needs).toEqual({
      pause: "nothing",
      rename: "name",
      resume: "sure",
      restart: "sure",
      stop: "sure",
    });
  });

  it("means one session by its id, and an agent without any by its name", () => {
    expect(requestFor("stop", agent, session).path).toBe("/sessions/08bc57cf/stop");
    expect(requestFor("pause", agent, undefined)).toEqual({
      method: "POST",
      path: "/sessions/a%2Fb/pause",
      body: { paused: true },
    });
    expect(requestFor("rename", agent, session, "web").body).toEqual({ name: "web" });
    expect(requestFor("start-resumed", agent, session).body).toEqual({ resume: true });
  });
});
