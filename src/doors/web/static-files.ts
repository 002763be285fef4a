/** The page's files, as the build left them. Read when somebody asks, and not kept: browsers keep them. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { onFirstUse } from "../caller/first-use.ts";
import {
  cacheControl,
  chooseCoding,
  chooseFile,
  entityTag,
  fileName,
  isUnchanged,
  type PageFiles,
  type Wanted,
} from "./chosen-file.ts";
import { PAGE_HEADERS } from "./page-headers.ts";

export interface WantedFile extends Wanted {
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

export interface PageAnswer {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export type StaticFiles = (wanted: WantedFile) => Promise<PageAnswer | "missing" | "elsewhere">;

export function staticFilesIn(folder: string): StaticFiles {
  const list = onFirstUse(async () => readList(folder));
  return async ({ acceptEncoding, ifNoneMatch, ...wanted }) => {
    const chosen = chooseFile(await list(), wanted);
    if (chosen.kind !== "file") return chosen.kind;
    const { path, file } = chosen;
    const coding = chooseCoding(file, acceptEncoding);
    const tag = entityTag(file, coding);
    const headers = {
      ...PAGE_HEADERS,
      "cache-control": cacheControl(path),
      etag: tag,
      vary: "accept-encoding",
    };
    if (isUnchanged(ifNoneMatch, tag)) return { status: 304, headers, body: undefined };
    return {
      status: 200,
      headers: {
        ...headers,
        "content-type": file.type,
        ...(coding === undefined ? {} : { "content-encoding": coding }),
      },
      body: await readFile(join(folder, fileName(path, coding))),
    };
  };
}

/** Without a build there is no page, and everything else works. */
async function readList(folder: string): Promise<PageFiles> {
  try {
    return JSON.parse(await readFile(join(folder, "files.json"), "utf8")) as PageFiles;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}
