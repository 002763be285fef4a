import { z } from "zod";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { ListedElsewhere, ListedSession, ShownAgent } from "../../wire/shapes/sessions.ts";
import { defineTool } from "../tool.ts";
import { whoAmI } from "../who-am-i.ts";

export const MOST_AGENTS = 100;
const ABOUT_CHARACTERS = 120;

const listedAgent = z.object({
  name: z.string().describe("for send_message"),
  waiting: z.number().describe("messages that it has not got yet"),
  sessions: z
    .array(
      z.object({
        id: z.string(),
        program: z.string(),
        state: z.string().describe("idle, busy, blocked (it asks a person something), starting, unknown"),
        about: z.string().describe("what it works on, as far as Bellhop knows"),
      }),
    )
    .describe("its running programs; none: it does not run, and messages wait for it"),
});

export const listAgents = defineTool({
  name: "list_agents",
  title: "See who is there",
  description: `List the agents on this machine, and those on others that it is connected with (HOST:NAME): their names, what they work on, whether they are idle or busy, and who you are among them. Use it before your first send_message, or when a name was not found. An agent that does not run can be written to as well: it gets its messages when it starts.
Returns you and the agents, running ones first. Takes no arguments.`,
  effect: "looks",
  reach: "here",
  input: z.strictObject({}),
  output: z.object({
    you: z.string().describe("your own name, or the address that you write as"),
    agents: z.array(listedAgent),
    more: z.number().optional().describe("how many are left out"),
  }),
  run: async (_, setting) => {
    const { sessions, elsewhere = [] } = await setting.call("ls", { allHosts: true });
    const { agents } = await setting.call("agent_list", {});
    const you = await whoAmI(setting, agents);
    const here = agents.map((agent) => shown(agent, sessions)).sort(runningFirst);
    const listed = [...here, ...elsewhere.map(shownElsewhere)];
    const kept = listed.slice(0, MOST_AGENTS);
    const name = you.kind === "agent" ? you.name : you.address;
    return {
      value: {
        you: name,
        agents: kept,
        ...(listed.length > kept.length ? { more: listed.length - kept.length } : {}),
      },
      text: [
        `You are ${name}.`,
        ...(kept.length === 0 ? ["Nobody is here."] : kept.map((agent) => spoken(agent))),
        ...(listed.length > kept.length ? [`${listed.length - kept.length} more.`] : []),
      ].join("\n"),
    };
  },
});

type ListedAgent = z.input<typeof listedAgent>;

function shown({ name, queued }: ShownAgent, sessions: readonly ListedSession[]): ListedAgent {
  return {
    name,
    waiting: queued,
    sessions: sessions
      .filter(({ agent }) => agent === name)
      .map(({ id, program, readiness, headline }) => ({
        id,
        program: sanitiseLine(program),
        state: readiness,
        about: sanitiseLine(headline, ABOUT_CHARACTERS),
      })),
  };
}

/** By the name that reaches it from here; what its host last said of it. */
function shownElsewhere({ host, agent, program = "", readiness, sessions }: ListedElsewhere): ListedAgent {
  return {
    name: `${host}:${agent}`,
    waiting: 0,
    sessions: sessions.map((id) => ({
      id,
      program: sanitiseLine(program),
      state: sanitiseLine(readiness),
      about: `on ${host}`,
    })),
  };
}

function runningFirst(one: ListedAgent, other: ListedAgent): number {
  const running = Math.sign(other.sessions.length) - Math.sign(one.sessions.length);
  return running === 0 ? one.name.localeCompare(other.name) : running;
}

function spoken({ name, waiting, sessions }: ListedAgent): string {
  const programs = sessions.map(({ id, program, state, about }) => `${program} ${id}, ${state}: ${about}`);
  return `${name}: ${programs.length === 0 ? "does not run" : programs.join(" | ")}${waiting === 0 ? "" : `; ${waiting} waiting`}`;
}
