/** The current terminals: our own, and those of the tmux servers in config.yaml, which may come and go while we run. */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../config/config.ts";
import { BellhopError } from "../core/errors.ts";
import { type Home, hostSocket } from "../home/home.ts";
import type { Hosts } from "../ports/hosts.ts";
import type { Log } from "../ports/log.ts";
import type { Processes } from "../ports/processes.ts";
import type { TerminalServer } from "../ports/terminal.ts";
import type { ProfileRegistry } from "../programs/profile-registry.ts";
import { systemClock } from "../system/clock.ts";
import { PtyServer } from "../terminals/pty/server.ts";
import { tmuxSockets } from "../terminals/tmux/control/sockets.ts";
import { Survivors } from "../terminals/tmux/control/survivors.ts";
import { tmuxMissing, tmuxProgram } from "../terminals/tmux/control/tmux-program.ts";
import { tmuxServers } from "../terminals/tmux/server.ts";
import { openWindow } from "../terminals/tmux/windows/new-window.ts";
import { stopWindow } from "../terminals/tmux/windows/own-window.ts";

export interface TerminalsParts {
  readonly home: Home;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

export class Terminals {
  readonly #parts: TerminalsParts;
  readonly #processes: Processes;
  readonly #profiles: ProfileRegistry;
  readonly hosts: PtyServer;
  readonly #survivors: Survivors;
  readonly #servers = new Map<string, TerminalServer>();
  readonly #listeners = new Set<() => void>();

  constructor(parts: TerminalsParts, processes: Processes, profiles: ProfileRegistry) {
    this.#parts = parts;
    this.#processes = processes;
    this.#profiles = profiles;
    this.#survivors = new Survivors(parts.environment.PATH ?? "");
    this.hosts = new PtyServer({
      clock: systemClock,
      processes,
      recognise: (tree) => profiles.recognise(tree),
      folder: parts.home.hosts,
      socketOf: (id) => hostSocket(parts.home.runFolder, id),
      program: { entry: join(dirname(fileURLToPath(import.meta.url)), "host.cjs"), logs: parts.home.logs },
      log: parts.log,
    });
    this.hosts.onChange(this.#changed);
  }

  configure(config: Config): void {
    const { environment, home, log } = this.#parts;
    const wanted = tmuxServers(
      { servers: config.values.tmux.servers, environment, userId: process.getuid?.() ?? 0 },
      {
        clock: systemClock,
        processes: this.#processes,
        recognise: (tree) => this.#profiles.recognise(tree),
        scratchFolder: join(home.runFolder, "scratch"),
        nonce: () => randomBytes(12).toString("hex"),
        owner: { mark: home.root, pid: process.pid },
        survivors: this.#survivors,
      },
    );
    for (const server of wanted) {
      if (this.#servers.has(server.name)) continue;
      this.#servers.set(server.name, server);
      server.onChange(this.#changed);
    }
    for (const [name, server] of this.#servers) {
      if (wanted.some((one) => one.name === name)) continue;
      this.#servers.delete(name);
      server.close().catch((cause) => log.error("tmux.close_failed", { server: name, cause: String(cause) }));
    }
  }

  ownTerminals(): Hosts {
    const { hosts } = this;
    return {
      check: (order) => hosts.check(order),
      start: (order) => hosts.start(order),
      facts: (id) => hosts.facts(id),
      grant: (id) => hosts.grant(id),
      stop: (id, graceMs) => hosts.stop(id, graceMs),
      forget: (id) => hosts.forget(id),
      openWindow: async (order) => {
        const server = this.#tmuxServer(order.server);
        return { server, ...(await openWindow(tmuxProgram(this.#parts.environment), server, order)) };
      },
      stopWindow: ({ sessionId, server }, graceMs) =>
        stopWindow(
          {
            program: tmuxProgram(this.#parts.environment),
            clock: systemClock,
            processes: this.#processes,
          },
          this.#tmuxServer(server),
          sessionId,
          graceMs,
        ),
    };
  }

  #tmuxServer(wanted: string | undefined): string {
    const { environment } = this.#parts;
    const server = wanted ?? tmuxSockets({ servers: [], environment, userId: process.getuid?.() ?? 0 })[0];
    if (server === undefined) throw tmuxMissing(undefined);
    if (!this.#servers.has(server)) throw unwatchedServer(server);
    return server;
  }

  servers(): readonly TerminalServer[] {
    return [...this.#servers.values(), this.hosts];
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  readonly #changed = (): void => {
    for (const listener of this.#listeners) listener();
  };

  async close(): Promise<void> {
    await Promise.all(this.servers().map((server) => server.close()));
    this.#survivors.close();
  }
}

/** A program on such a server would never be seen. */
function unwatchedServer(server: string): BellhopError {
  return new BellhopError("usage.invalid", {
    message: `Bellhop does not watch the tmux server ${server}.`,
    next: 'Add it to "tmux: { servers: [] }" in config.yaml (see "bellhop config"), or leave out --tmux.',
  });
}
