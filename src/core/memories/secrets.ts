/** What is told to be one: "the wifi password is …", "PIN: …". */
const NAMED =
  /\b(?:pass(?:word|phrase|code|wd)|pwd|pin|pin (?:code|number)|api[ _-]?key|access[ _-]?key|secret[ _-]?key|private key|encryption key|licen[cs]e key|client secret|(?:access |auth |bearer |api |refresh )token|(?:door|alarm|gate|safe|entry|security|unlock|recovery|backup|2fa) code|recovery phrase|seed phrase|combination|cvv|cvc|(?:credit |debit |bank )?card number|social security number|ssn|iban)(?: (?:for|of|to|on|at|in|from) [^.!?\n]{1,50}?)?(?: is|:| {0,3}=| are)(?: now| always)? {0,3}(?!(?:in|on|at|stored|kept|managed|rotated|required|optional|needed|changed|expired|forgotten|protected|hashed|not|never|the same|too|very|due|valid|secret|set|wrong|correct|safe|weak|strong|unknown|missing|lost|an?|available|handled|checked)\b)\S{3,}/iu;
const CREDENTIALS = /\b(?:log(?:s|ged)? ?in|signs? in) with [^\s]{1,80} (?:and|\/) \S{4,}/iu;
/** What looks like one. */
const SHAPED =
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY|(?<![\p{L}\p{N}])(?:(?:sk|pk|rk|sm|hf|npm|ghp|gho|ghu|ghs|glpat|xox[abprs]|github_pat)[_-][\w-]{12,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{20,}|eyJ[\w-]{10,}\.[\w-]{10,}|(?:\d{4}[ -]?){3}\d{1,4}(?!\d))/u;

/** True for a text that holds a password, a key, a PIN or the like: it is kept and found, and shown to nobody who did not ask. */
export function holdsSecret(text: string): boolean {
  return SHAPED.test(text) || NAMED.test(text) || CREDENTIALS.test(text);
}
