/** A host's place at its socket's path, taken again when somebody has removed the file there. */
import { existsSync } from "node:fs";
import type { Server } from "node:net";

export function listenAt(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const umask = process.umask(0o177);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
    process.umask(umask);
  });
}

/** Who is connected stays so. */
export async function listenAgain(server: Server, path: string): Promise<void> {
  if (server.listening && existsSync(path)) return;
  // In this order: to close takes away whatever file is at the path then.
  server.close();
  await listenAt(server, path);
}
