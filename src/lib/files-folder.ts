/** Name of the folder for uploaded files, inside a data folder. */
export const FILES_FOLDER = "files";
