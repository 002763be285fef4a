import { connect, createServer, type Server, type Socket } from "node:net";

/** A port that can be shut while what is behind it goes on. */
export class Gate {
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  target = 0;
  port = 0;

  async open(target = this.target): Promise<void> {
    this.target = target;
    if (this.#server !== undefined) return;
    const server = createServer((socket) => {
      const behind = connect(this.target, "127.0.0.1");
      for (const one of [socket, behind]) {
        this.#sockets.add(one);
        one.on("error", () => {});
        one.on("close", () => {
          this.#sockets.delete(one);
          (one === socket ? behind : socket).destroy();
        });
      }
      socket.pipe(behind).pipe(socket);
    });
    await new Promise<void>((resolve) => server.listen(this.port, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address === "object" && address !== null) this.port = address.port;
    this.#server = server;
  }

  async shut(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    this.cut();
    await closed;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
