/** What a shell can ask for at Tab. `waiting`: messages in the queue. */
export const OFFERS = ["agent", "message", "waiting", "reminder"] as const;
export type Offer = (typeof OFFERS)[number];

export function isOffer(word: string | undefined): word is Offer {
  return (OFFERS as readonly (string | undefined)[]).includes(word);
}
