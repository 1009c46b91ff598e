/** File name extensions of recordings and videos, without the dot. */
// prettier-ignore
export const MEDIA_ENDINGS: readonly string[] = [
  "mp3", "wav", "m4a", "m4b", "ogg", "oga", "opus", "flac", "aac", "mka", "weba",
  "mp4", "m4v", "mov", "webm", "mkv", "avi", "ogv", "3gp", "3g2",
];
