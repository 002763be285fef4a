/** Which cluster this host is in, and which hosts it admits. The daemon writes the config, for the owner only. */
import { hostname } from "node:os";
import { resolve } from "node:path";
import { DEFAULT_HOST_RIGHTS, HOST_RIGHTS, type HostRight } from "../../../core/cluster/admission.ts";
import { EXIT } from "../../../core/errors.ts";
import { present } from "../../../core/present.ts";
import { sanitiseLine, sanitiseText } from "../../../core/text/sanitise.ts";
import type { ClusterLeft } from "../../../wire/shapes/cluster.ts";
import { type Arguments, type Command, usage } from "../../command.ts";
import { admitLine } from "../../printing/cluster.ts";
import { untilClosed, untilConnected, untilInForce } from "./taking-effect.ts";

export const join: Command = {
  name: "join",
  summary: "let this host join a cluster: writes it to the config, and prints the line for the other hosts",
  usage: [
    "cluster join --nats URL [--nats URL …] [--host NAME] [--credentials FILE] [--ca-file FILE] [--stream NAME] [--domain NAME]",
  ],
  options: {
    nats: {
      kind: "value",
      value: "URL",
      repeatable: "yes",
      summary: "a NATS server with JetStream: tls://HOST[:PORT]; again for each further one",
    },
    host: {
      kind: "value",
      value: "NAME",
      summary: "how the others name this host (default: the machine's name)",
    },
    credentials: {
      kind: "value",
      value: "FILE",
      summary: "a file that only you may read: NATS credentials, a seed, USER:PASSWORD or a token",
    },
    "ca-file": {
      kind: "value",
      value: "FILE",
      summary: "certificates to trust, if the server's is your own",
    },
    stream: { kind: "value", value: "NAME", summary: "the stream that the hosts share (default: bellhop)" },
    domain: {
      kind: "value",
      value: "NAME",
      summary: "the JetStream domain of the hub, if the server is a leaf node of it",
    },
  },
  examples: [
    {
      command: "bellhop cluster join --nats tls://nats.example.org --host laptop",
      does: "takes effect at once",
    },
    {
      command: "bellhop cluster join --nats nats://10.0.0.2 --host laptop --credentials nats-token",
      does: "secrets are read from a file, never from the command line",
    },
  ],
  run: async (context, args) => {
    const { out, folder } = context;
    const servers = args.values("nats");
    if (servers.length === 0)
      throw usage(
        '"bellhop cluster join" needs --nats: the server that carries messages between hosts.',
        "For example: bellhop cluster join --nats tls://nats.example.org --host laptop",
      );
    const file = (name: string) => {
      const given = args.value(name);
      return given === undefined ? undefined : resolve(folder(), given);
    };
    const named = args.value("host") ?? machineName();
    if (named === "") throw usage('"" cannot be the name of a host.', "Name it, for example: --host laptop");
    const request = {
      servers,
      host: named,
      ...present({
        credentialsFile: file("credentials"),
        caFile: file("ca-file"),
        stream: args.value("stream"),
        domain: args.value("domain"),
      }),
    };
    const joined = await context.ask("cluster_join", request, { timeoutMs: JOINED_WITHIN_MS });
    const { engine, stuck } = await untilConnected(context, joined.host);
    out.result({ ...joined, engine }, () => {
      const { already, host, key } = joined;
      if (stuck === true) {
        const why = sanitiseText(engine.reason ?? "NATS refuses it");
        const said = `! By its config this host is in the cluster, as ${sanitiseLine(host)}, but it does not get in: ${why}`;
        out.line(out.paint("red", said));
        out.line("  To see what is wrong: bellhop cluster test. To begin anew: bellhop cluster leave");
        return;
      }
      out.line(
        `${already === true ? "This host is in the cluster already" : "✓ This host is in the cluster"}, as ${sanitiseLine(host)}.`,
      );
      if (engine.state === "up")
        out.line(
          `✓ NATS is connected${engine.server === undefined ? "" : ` (${sanitiseLine(engine.server)})`}.`,
        );
      else {
        out.line(
          out.paint(
            "yellow",
            `! NATS cannot be reached yet: ${sanitiseText(engine.reason ?? "it does not answer")}`,
          ),
        );
        out.line(
          "  Bellhop keeps trying, and messages for other hosts wait meanwhile. To see what is wrong: bellhop cluster test",
        );
      }
      out.line("Type this on the other hosts, to let this one in:");
      out.line(`  ${admitLine(host, key)}`);
    });
    return stuck === true ? EXIT.failed : EXIT.ok;
  },
};

/** The daemon tries the way to NATS first. */
const JOINED_WITHIN_MS = 30_000;

/** The first part of the machine's name, as far as it can be one. */
export function machineName(whole = hostname()): string {
  const [first = ""] = whole.toLowerCase().split(".");
  return first
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 32)
    .replace(/-+$/, "");
}

export const leave: Command = {
  name: "leave",
  summary:
    "let this host leave its cluster: the others learn it, and the section is removed from the config, but for the hosts that are admitted",
  usage: ["cluster leave [--force]"],
  options: {
    force: {
      kind: "flag",
      summary: "also if messages still wait to go to other hosts: they stay here, waiting",
    },
  },
  examples: [
    { command: "bellhop cluster leave", does: "says what still waits, if something does" },
    { command: "bellhop cluster leave --force", does: "what waits goes out when this host joins again" },
  ],
  run: async (context, args) => {
    const { out } = context;
    const left = await context.ask("cluster_leave", { ...present({ force: args.given("force") }) });
    await untilClosed(context);
    out.result(left, () => {
      out.line(
        `${sanitiseLine(left.left)} has left the cluster. Its key stays, and whom it admits, for the next time.`,
      );
      for (const line of staying(left)) out.line(line);
    });
  },
};

function staying({ unfinished }: ClusterLeft): readonly string[] {
  if (unfinished.length === 0) return [];
  const each = unfinished.map(
    ({ host, waiting, underway }) => `  ${sanitiseLine(host)}: ${waiting} waiting, ${underway} under way`,
  );
  return ["Not delivered yet; it goes on when this host joins again (see it with: bellhop queue):", ...each];
}

const RIGHTS_IN_WORDS = HOST_RIGHTS.join(",");

export const admit: Command = {
  name: "admit",
  summary: "let in what another host sends, by its key",
  usage: ["cluster admit HOST KEY [--rights LIST]"],
  words: { least: 2, most: 2 },
  options: {
    rights: {
      kind: "value",
      value: "LIST",
      summary: `all that it may do here, in place of what it may now: of ${RIGHTS_IN_WORDS}, or none (without it: ${DEFAULT_HOST_RIGHTS.join(",")} for a new host; one that is admitted keeps what it has)`,
    },
  },
  examples: [
    { command: "bellhop cluster admit workstation KEY", does: "as join and status print it on workstation" },
    {
      command: "bellhop cluster admit workstation KEY --rights send,hear,urgent",
      does: "it may also interrupt agents here",
    },
  ],
  run: async (context, args) => {
    const { out } = context;
    const [host = "", key = ""] = args.words;
    const admitted = await context.ask("cluster_admit", {
      host,
      key,
      ...present({ rights: rightsIn(args) }),
    });
    await untilInForce(context, admitted.host, "admitted");
    const { cluster: here } = await context.ask("cluster_status", {});
    out.result(admitted, () => {
      const { already, rights, before } = admitted;
      const name = sanitiseLine(admitted.host);
      const had = before === undefined ? "" : ` Before: ${inWords(before)}.`;
      out.line(
        `${already === true ? "" : "✓ "}${name} is admitted${already === true ? " already" : ""}. Its rights here: ${inWords(rights)}.${had}`,
      );
      if (!rights.includes("send"))
        out.line(out.paint("yellow", `! Without send, nothing that ${name} sends is taken here.`));
      if (already === true || before !== undefined || here?.key === undefined) return;
      out.line(`${name} must admit this host too. Unless that is done, type there:`);
      out.line(`  ${admitLine(here.host, here.key)}`);
    });
  },
};

function inWords(rights: readonly HostRight[]): string {
  return rights.length === 0 ? "none" : rights.join(", ");
}

function rightsIn(args: Arguments): readonly HostRight[] | undefined {
  const given = args.value("rights");
  if (given === undefined) return undefined;
  if (given === "none") return [];
  const words = given.split(",").map((word) => word.trim());
  const strange = words.find((word) => !HOST_RIGHTS.some((right) => right === word));
  if (strange !== undefined)
    throw usage(
      `"${sanitiseLine(strange, 40)}" is no right of a host.`,
      `Choose from ${RIGHTS_IN_WORDS}, with commas in between, or none.`,
    );
  return HOST_RIGHTS.filter((right) => words.includes(right));
}

export const expel: Command = {
  name: "expel",
  summary: "let in nothing more from a host, and send it nothing more",
  usage: ["cluster expel HOST"],
  words: { least: 1, most: 1 },
  examples: [{ command: "bellhop cluster expel workstation", does: "what waits for it stays here, waiting" }],
  run: async (context, { words: [host = ""] }) => {
    const { out } = context;
    const expelled = await context.ask("cluster_expel", { host });
    await untilInForce(context, expelled.expelled, "expelled");
    out.result(expelled, () => {
      out.line(`✓ ${sanitiseLine(expelled.expelled)} is no longer admitted.`);
      const { waiting, underway } = expelled;
      if (waiting > 0)
        out.line(
          `${waiting} for it ${waiting === 1 ? "waits" : "wait"} here. To cancel: bellhop queue clear host/${sanitiseLine(expelled.expelled)}`,
        );
      if (underway > 0)
        out.line(`Of ${underway} that went there, nothing more is heard unless it is admitted again.`);
    });
  },
};
