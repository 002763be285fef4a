import { connect, type Socket } from "node:net";
import { encodeFrame, FrameReader } from "../../src/wire/host/frames.ts";
import type { HostHello, HostWelcome, ViewerHears, ViewerSays } from "../../src/wire/host/host.ts";

/** A viewer attached to a host, at the level of bytes: the data and the control frames that it got. */
export class HostViewer {
  readonly #socket: Socket;
  readonly told: ViewerHears[] = [];
  readonly shown: Buffer[] = [];
  onShown: (bytes: Buffer) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static attach(
    path: string,
    token: string,
    size: { readonly cols: number; readonly rows: number },
  ): Promise<HostViewer> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      const viewer = new HostViewer(socket);
      const hello: HostHello = { type: "attach", versions: [1], token, ...size };
      let head = Buffer.alloc(0);
      const reader = new FrameReader(({ kind, payload }) => {
        if (kind === "data") {
          viewer.shown.push(payload);
          viewer.onShown(payload);
        } else viewer.told.push(JSON.parse(payload.toString("utf8")) as ViewerHears);
        // The first picture shows that it is attached.
        if (kind === "data") resolve(viewer);
      });
      let welcomed = false;
      socket.on("error", reject);
      socket.on("connect", () => socket.write(`${JSON.stringify(hello)}\n`));
      socket.on("data", (chunk: Buffer) => {
        if (welcomed) return reader.push(chunk);
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf(0x0a);
        if (end === -1) return;
        const welcome = JSON.parse(head.subarray(0, end).toString("utf8")) as HostWelcome;
        if (!welcome.ok) return reject(new Error(welcome.error.message));
        welcomed = true;
        reader.push(head.subarray(end + 1));
      });
    });
  }

  press(bytes: string): void {
    this.#socket.write(encodeFrame("data", Buffer.from(bytes, "utf8")));
  }

  say(message: ViewerSays): void {
    this.#socket.write(encodeFrame("control", Buffer.from(JSON.stringify(message), "utf8")));
  }

  close(): void {
    this.#socket.destroy();
  }
}
