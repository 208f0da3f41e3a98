// An error of a server.

/** An error that says why a file or a module on a server cannot be used. */
export class SourceError extends Error {
  /** Always `SourceError`. */
  override readonly name = 'SourceError';
  /** The requested address. */
  readonly url: string;
  /** What is wrong: the message without the address. */
  readonly reason: string;
  /**
   * HTTP status, such as 404; 0 without an answer. With 200 or 206, the content of the answer is
   * wrong.
   */
  readonly status: number;

  /** @internal */
  constructor(reason: string, url: string, status: number, options?: ErrorOptions) {
    super(`${url}: ${reason}`, options);
    this.reason = reason;
    this.url = url;
    this.status = status;
  }
}
