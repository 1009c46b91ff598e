/** Explicitly named secrets: "the wifi password is …", "PIN: …". */
const NAMED =
  /\b(?:pass(?:word|phrase|code|wd)|pwd|pin|pin (?:code|number)|api[ _-]?key|access[ _-]?key|secret[ _-]?key|private key|encryption key|licen[cs]e key|client secret|(?:access |auth |bearer |api |refresh )token|(?:door|alarm|gate|safe|entry|security|unlock|recovery|backup|2fa) code|recovery phrase|seed phrase|combination|cvv|cvc|(?:credit |debit |bank )?card number|social security number|ssn|iban)(?: (?:for|of|to|on|at|in|from) [^.!?\n]{1,50}?)?(?: is|:| {0,3}=| are)(?: now| always)? {0,3}(?!(?:in|on|at|stored|kept|managed|rotated|required|optional|needed|changed|expired|forgotten|protected|hashed|not|never|the same|too|very|due|valid|secret|set|wrong|correct|safe|weak|strong|unknown|missing|lost|an?|available|handled|checked)\b)\S{3,}/iu;
/** Assignments as in program settings: "AWS_SECRET_ACCESS_KEY=…", but not the name of a place where it is kept. */
const ASSIGNED =
  /(?<!\w)\w{0,60}(?:secret|passw(?:or)?d|passwort|token|api_?key|access_?key|private_?key)\w{0,40}["']? {0,3}(?:=|(?<=_\w{1,40}["']? {0,3}):) {0,3}["']?(?!process\b|os\b|env\b|getenv|your|null|none|true|false|required|x{3})[\p{L}\p{N}+/_.!#&%^~@-][^\s"']{5,}/iu;
const IN_ADDRESS = /(?<![a-z])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,80}:[^\s@/]{3,120}@[^\s@]/iu;
/**
 * The same in German, French, Spanish, Portuguese and Italian; a common word after it describes the secret rather than states
 * it.
 */
const NAMED_ELSEWHERE =
  /(?:passwor[dt]|kennwort|passphrase|zugangscode|wlan-schlüssel|(?<!\p{L})pin(?:-(?:code|nummer))?|mot de passe|code (?:pin|secret|d['’]accès)|contraseña|clave (?:secreta|de acceso)|código (?:pin|secreto|de acceso)|(?<!\p{L})senha)(?: [^.!?:=\n]{1,50}?)?(?: (?:lautet|ist|heißt|est|es|é|è)| {0,2}:| {0,3}=)(?: (?:jetzt|nun|immer|aktuell|maintenant|toujours|ahora|siempre|agora|sempre|ora))?\s{0,3}(?!(?:in|im|am|auf|bei|nicht|nie|sehr|zu|ein|eine|falsch|richtig|sicher|unsicher|schwach|stark|abgelaufen|geheim|geändert|gespeichert|vergessen|verloren|nötig|notwendig|erforderlich|bekannt|unbekannt|der|die|das|dasselbe|derselbe|dans|sur|pas|très|trop|un|une|le|la|les|faible|fort|faux|sûr|perdu|oublié|expiré|incorrect|correct|obligatoire|requis|nécessaire|stocké|changé|protégé|secret|en|muy|demasiado|una|el|lo|débil|fuerte|seguro|segura|incorrecta|correcta|obligatoria|necesaria|secreta|no|não|muito|uma|o|a|fraca|forte|segura|molto|troppo|debole|sicura|not|never|too|very|required|optional|needed|changed|expired|wrong|correct|stored|kept)(?![\p{L}\p{N}]))\S{3,}/iu;
const LOGIN =
  /\b(?:log-?in|credentials?|zugangsdaten|identifiants?|credenciales)(?: (?:for|of|to|on|at|für|zu|pour|de|para) [^.!?\n]{1,50}?)?(?: is| are| ist| sind| est| sont| es| son|:) {1,3}[^\s/]{1,80} ?\/ ?(?=\S{0,40}[\d!#$%^&*])\S{4,}/iu;
const CREDENTIALS = /\b(?:log(?:s|ged)? ?in|signs? in) with [^\s]{1,80} (?:and|\/) \S{4,}/iu;
/** Text that has the shape of a secret. */
const SHAPED =
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY|(?<![\p{L}\p{N}])(?:(?:sk|pk|rk|sm|hf|npm|ghp|gho|ghu|ghs|glpat|xox[abprs]|github_pat)[_-][\w-]{12,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|hv[sb]\.[\w-]{12,}|AIza[\w-]{20,}|eyJ[\w-]{10,}\.[\w-]{10,}|(?:\d{4}[ -]?){3}\d{1,4}(?!\d))/u;

const SIGNS: readonly RegExp[] = [SHAPED, NAMED, CREDENTIALS, ASSIGNED, IN_ADDRESS, NAMED_ELSEWHERE, LOGIN];

/**
 * True for a text that contains a password, a key, a PIN or the like: it is stored and found, but shown only to those who ask
 * for it.
 */
export function holdsSecret(text: string): boolean {
  return SIGNS.some((sign) => sign.test(text));
}
