// An error of a server.

/** An error that says why a server's answer cannot be used. */
export class SourceError extends Error {
  /** Always `SourceError`. */
  override readonly name = 'SourceError';
  /** The requested address. */
  readonly url: string;
  /** HTTP status, such as 404. With 200 or 206, the content of the answer is wrong. */
  readonly status: number;

  /** @internal */
  constructor(message: string, url: string, status: number) {
    super(message);
    [this.url, this.status] = [url, status];
  }
}
