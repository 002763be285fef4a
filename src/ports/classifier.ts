/** Understands whom a text addresses. It only chooses: nothing it says is relayed. */
export interface Classifier {
  /** One of the labels, or why none: not addressed to one of them, a failure, no answer in time. */
  classify(
    text: string,
    labels: readonly string[],
  ): Promise<{ readonly label: string } | { readonly none: string }>;
}
