/** The one mailbox of the account, whose mails are numbered and never deleted. */
export interface StoredMail {
  readonly uid: number;
  readonly source: Buffer;
}

export class Mailbox {
  readonly uidValidity: number;
  readonly #mails: StoredMail[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(uidValidity: number) {
    this.uidValidity = uidValidity;
  }

  get mails(): readonly StoredMail[] {
    return this.#mails;
  }

  get nextUid(): number {
    return this.#mails.length + 1;
  }

  put(source: Buffer): void {
    this.#mails.push({ uid: this.nextUid, source });
    for (const watcher of this.#watchers) watcher();
  }

  /** Returns what ends it. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** `set`: such as `2:4,7:*`, where `*` is the last mail, and so is whatever lies behind it. */
  byUid(set: string): readonly StoredMail[] {
    const last = this.#mails.at(-1)?.uid ?? 0;
    const ranges = set.split(",").map((part) => {
      const ends = part.split(":").map((end) => (end === "*" ? last : Number(end)));
      return { least: Math.min(...ends), most: Math.max(...ends) };
    });
    return this.#mails.filter(({ uid }) => ranges.some(({ least, most }) => uid >= least && uid <= most));
  }
}
