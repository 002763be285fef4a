/** Connects to the daemon of this home, and starts it if there is none. */
import type { Instant } from "../core/message.ts";
import type { Home } from "../home/home.ts";
import { type Client, connect, connectIfRunning } from "./connect.ts";
import { claimsFrom } from "./identity.ts";

export interface DaemonPlace {
  readonly home: () => Home;
  readonly createHome: () => Home;
  readonly daemonEntry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** When the command that needs the daemon began: a later "bellhop down" overrules it. */
  began(): Instant;
  now(): Instant;
}

export async function connectOrStart(place: DaemonPlace, start: "if-needed" | "never"): Promise<Client> {
  const began = place.began();
  const claims = claimsFrom(place.env, process.pid);
  if (start === "never") return connect(place.home().socket, claims);
  const client = await connectIfRunning(place.home().socket, claims);
  if (client !== undefined) return client;
  const { startDaemon } = await import("./start-daemon.ts");
  const home = place.createHome();
  // The daemon runs in its own folder, where a relative path would mean something else.
  const env = { ...place.env, BELLHOP_HOME: home.root };
  return startDaemon({ entry: place.daemonEntry, home, env, began, now: place.now });
}
