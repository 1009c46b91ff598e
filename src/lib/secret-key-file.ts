/** Name of the file, inside a data folder, with the keys that encrypt credentials. */
export const SECRET_KEY_FILE = "secret.key";
