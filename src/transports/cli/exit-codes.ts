export const EXIT_OK = 0;
/** Something went wrong, or was found to be wrong. */
export const EXIT_FAILED = 1;
/** The command line itself is wrong: retrying cannot work. */
export const EXIT_WRONG_USE = 2;
