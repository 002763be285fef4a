/** Opens a link in the person's browser, if there is a display to show it on. */
import { spawn } from "node:child_process";
import { findOnPath } from "../../../system/executables.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The program that opens links here; undefined if the browser is elsewhere. */
export function openerOn(platform: string, env: Environment): "open" | "xdg-open" | undefined {
  if (platform === "darwin") return env.SSH_CONNECTION || env.SSH_TTY ? undefined : "open";
  return env.DISPLAY || env.WAYLAND_DISPLAY ? "xdg-open" : undefined;
}

/** Does not wait for it: it may live as long as the browser that it starts. */
export async function openLink(url: string, platform: string, env: Environment): Promise<"opened" | "not"> {
  const name = openerOn(platform, env);
  const program = name === undefined ? undefined : findOnPath(name, env.PATH ?? "");
  if (program === undefined) return "not";
  const child = spawn(program, [url], { stdio: "ignore", detached: true, env: { ...env } });
  return new Promise((resolve) => {
    child.once("error", () => resolve("not"));
    child.once("spawn", () => {
      child.unref();
      resolve("opened");
    });
  });
}
