/** A mail of plain text to the owner. */
export interface OwnerMail {
  /** One line; what breaks lines in it is taken out. */
  readonly subject: string;
  readonly text: string;
  /** The same for the same news, so that a mail that is sent again by chance can be known as one. Letters and digits. */
  readonly id: string;
}

/** Sends mails to the owner. */
export interface Mailer {
  /** The server and the address, for people; never a secret. */
  readonly name: string;
  /**
   * Resolves when the server has taken the mail.
   * @throws AppError `unavailable` when another try may succeed, `invalid` when the server refuses for good
   */
  send(mail: OwnerMail, signal?: AbortSignal): Promise<void>;
  /** Connects and signs in, and sends nothing. @throws AppError as `send` does */
  check(): Promise<void>;
}
