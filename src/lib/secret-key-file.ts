/** Name of the file with the keys that credentials are encrypted with, inside a data folder. */
export const SECRET_KEY_FILE = "secret.key";
