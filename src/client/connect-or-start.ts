/** From whoever wants something to the daemon of this home: connects, else starts it. */
import { BellhopError } from "../core/errors.ts";
import type { Home } from "../home.ts";
import { type Client, connect } from "./connect.ts";
import { claimsFrom } from "./identity.ts";

export interface DaemonPlace {
  readonly home: () => Home;
  readonly createHome: () => Home;
  readonly daemonEntry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function connectOrStart(place: DaemonPlace, start: "if-needed" | "never"): Promise<Client> {
  try {
    return await connect(place.home().socket, claimsFrom(place.env, process.pid));
  } catch (error) {
    const absent = error instanceof BellhopError && error.code === "daemon.not_running";
    if (!absent || start === "never") throw error;
  }
  const { startDaemon } = await import("./start-daemon.ts");
  const { socket, lock, logs, root: folder } = place.createHome();
  return startDaemon({ entry: place.daemonEntry, socket, lock, logs, folder, env: place.env });
}
