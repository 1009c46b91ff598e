import { foldSpaced } from "./spaced.js";

/**
 * Function words of languages other than English: articles, pronouns, prepositions, forms of "to be" and question words.
 * Those that mean something in English are listed as `shared`, and count only alongside the others.
 */
interface Language {
  /** True for a language that writes compounds as one word. */
  readonly joinsWords?: true;
  readonly clear: string;
  readonly shared: string;
}

const LATIN: readonly Language[] = [
  {
    joinsWords: true,
    clear:
      "der dem des ein eine einen einem einer eines und oder aber ist sind bin bist wird wurde werden wurden habe haben hatte " +
      "hatten ich du sie wir ihr mein meine meinen meinem meiner dein deine deinen sein seine seinen seinem seiner ihre ihren " +
      "ihrem ihrer unser unsere euer nicht kein keine keinen auf aus bei beim nach von vom vor zu zum zur unter ins im gegen " +
      "ohne seit wer wo wohin woher wann wie warum wieso welche welcher welches welchen wem wessen auch noch nur sehr dass " +
      "wenn weil sich ihm ihn ihnen mich dich dir euch hier dort gibt kann soll muss möchte",
    shared: "die den war waren hat man wen was an in am als so also will das er mit über für mir uns es",
  },
  {
    clear:
      "le une des du ou mais sont suis sommes etes était étaient je nous vous ils elles mes ses notre votre vos leur leurs " +
      "dans avec sous chez aux qui que quoi quel quelle quels quelles où quand pourquoi combien cette ces cet lui eux ont " +
      "avait avoir être qu l",
    shared:
      "son a as an en de on y plus la les un et est es tu il elle mon ma ton ta tes nos ne pas pour par sur sans au comment " +
      "ce ça se",
  },
  {
    clear:
      "el los las una unos unas y pero son soy eres somos eran fue yo tú él ella nosotros ellos ellas tus nuestro nuestra " +
      "para por sobre desde hasta entre que qué quién quien cuál cuándo cuando dónde donde cómo como cuánto le del está están " +
      "estaba hay ha han esta estos estas ese esa",
    shared: "la no me de en a un si o es era mi mis tu su sus con sin lo se al este",
  },
  {
    clear:
      "os uma umas e é são sou eram foi eu ele ela nós eles elas meu minha meus minhas sua seus suas nosso nossa para por sem " +
      "sobre desde até entre que quem qual quando onde como quanto ao à às está estão há isto isso",
    shared: "o a as do no em um de se uns mas era seu com da dos das na nos nas este",
  },
  {
    clear:
      "gli una uno ed è sono sei siamo erano io lui loro mio mia miei mie tuo tua suo sua suoi sue nostro dalla del della dei " +
      "degli delle nel nella nei sul sulla alla allo agli alle che cosa quale quando quanto perché anche non ci questo questa " +
      "questi quello quella ha hanno",
    shared: "i la le in a e o un al il lo ma era tu lei noi voi con per da dal di ai chi dove come si",
  },
  {
    joinsWords: true,
    clear:
      "het een ik jij je hij zij ze wij jullie mijn jouw zijn haar ons onze hun niet geen voor naar bij uit onder tegen " +
      "zonder wie waar wanneer waarom welke welk dat deze ook nog zeer heeft hebben wordt werd",
    shared: "de is was in op of door die aan en met van over wat hoe dit had ben bent er om te",
  },
  {
    joinsWords: true,
    clear:
      "bir ve veya ile için gibi kadar biz siz onlar benim senin onun bizim sizin onların bu şu kimin nerede nereye nereden " +
      "nasıl neden niçin hangi kaç değil yok çok daha olan olarak oldu",
    shared: "o de on ama ben sen ne kim mı mi mu mü var en da ise ki her",
  },
  {
    clear:
      "ze od przez dla nie jest są był była było być się gdzie kiedy kto czy który która które mój moja moje jego jej ich " +
      "oraz lub też tylko",
    shared: "a on my we i w z na do po to ten ta te jak co ale o u",
  },
  {
    joinsWords: true,
    clear: "och att det ett jag du hon inte från som hur vad vem när hennes ej",
    shared: "en i han de var den vi ni är med för på av till om min mitt din hans",
  },
  {
    clear: "của không được các những một này đó ở với trong nhiêu tôi",
    shared: "la co the và là có cho khi đã đang sẽ gì ai đâu nào bao bạn anh chị",
  },
];

const OTHERS =
  // Russian, Ukrainian
  "и в во не что он она оно они на я с со как а то все так его но да ты к у же вы за бы по ее её мне было вот от меня о из ему кто где " +
  "когда почему зачем какой какая какое какие который которая которые чей чья это этот эта эти тот та те мой моя моё мои твой твоя наш " +
  "наша ваш свой есть был была были быть для при под над без до или ли мы нас вас им них у та є що як де коли хто який яка які це мій " +
  "моя від про та не " +
  // Greek
  "ο η το οι τα του της των τον την τους τις ένας μια ένα και ή αλλά είναι ήταν είμαι έχει έχω θα να δεν μη με σε από για στο στη στην στον " +
  "στους στα που πού πώς πότε ποιος ποια ποιο ποιοι τι γιατί μου σου του μας σας αυτός αυτή αυτό εγώ εσύ " +
  // Hebrew
  "של את על עם אל מה מי איפה היכן מתי איך למה איזה איזו הוא היא הם הן אני אתה אנחנו אתם זה זאת זו יש אין לא כן גם או כי אם אבל כל היה היתה " +
  "הייתה להיות שלי שלך שלו שלה " +
  // Arabic, Persian
  "في من على إلى الى عن مع ما ماذا متى أين اين كيف لماذا هل هو هي هم هن أنا انا أنت نحن هذا هذه ذلك تلك التي الذي الذين كان كانت يكون لا لم لن " +
  "ليس أو او ثم قد كل أي اي بين عند هنا هناك از به با که در این آن است چه کجا چرا را و " +
  // Hindi
  "का की के को में से पर है हैं था थी थे हो और या यह वह ये वे मैं हम तुम आप मेरा मेरी मेरे उसका उसकी उसके इसका क्या कौन कहाँ कहां कब क्यों कैसे किस " +
  "किसका किसकी नहीं भी ही तो ने एक जो कि लिए साथ";

const WITHOUT_SPACES =
  // Chinese
  "的 了 是 在 我 你 您 他 她 它 们 們 我们 我們 你们 你們 他们 他們 她们 和 与 與 或 也 都 就 而 及 着 著 过 過 吗 嗎 呢 吧 啊 呀 这 這 那 这个 這個 那个 那個 个 個 不 " +
  "没 沒 没有 沒有 有 会 會 被 把 从 從 到 对 對 为 為 以 于 於 之 其 所 什么 什麼 甚麼 谁 誰 哪 哪里 哪裡 哪裏 哪儿 哪兒 哪个 哪個 怎么 怎麼 怎样 怎樣 为什么 為什麼 " +
  "何时 何時 什么时候 什麼時候 多少 几 幾 很 " +
  // Japanese
  "です ます でした ました ません ない なかった いる います いました いた ある あります あった する します しました した して している なる なった この その あの どの これ それ " +
  "あれ どれ ここ そこ あそこ どこ だれ 誰 いつ なに 何 なぜ どう どんな いくつ いくら から まで より ので のに けど だけ など こと もの ため よう さん くん ちゃん " +
  "んで んだ って とは には では へは にも でも だった でしょう ください " +
  // Korean
  "어디 무엇 무얼 누구 누가 언제 어떻 어느 어떤 얼마 있나 있다 있습 있어 없다 없습 이다 우리 그것 이것 저것 하나 나는 저는 그는 " +
  // Thai
  "ที่ และ หรือ แต่ ของ ใน บน กับ จาก ให้ ได้ ไม่ เป็น คือ อยู่ มี จะ ก็ นี้ นั้น ฉัน ผม เขา เธอ เรา คุณ มัน อะไร ใคร ไหน ที่ไหน เมื่อไร เมื่อไหร่ ทำไม อย่างไร ยังไง แล้ว กำลัง ว่า ไป มา ครับ ค่ะ " +
  // Lao, Khmer, Burmese
  "ແລະ ຫຼື ຂອງ ໃນ ກັບ ຈາກ ທີ່ ເປັນ ຢູ່ ບໍ່ ຂ້ອຍ ລາວ ໃສ ຫຍັງ និង ឬ នៅ ក្នុង ជា របស់ មាន ខ្ញុំ គាត់ នាង តើ អ្វី ណា နှင့် မှာ က ကို ၏ သည် တယ် ပါ ဘယ် ဘာ";

const functionWords: ReadonlySet<string> = new Set(WITHOUT_SPACES.split(" "));
const NONE: ReadonlySet<string> = new Set();

interface Lists {
  /** All words of languages in other scripts, and the clear words of those in Latin script. */
  readonly telling: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
  /** The words of each language in Latin script. */
  readonly latin: readonly {
    readonly joinsWords: boolean;
    readonly clear: ReadonlySet<string>;
    readonly all: ReadonlySet<string>;
  }[];
  readonly anyLatin: ReadonlySet<string>;
}

let lists: Lists | undefined;

/** True for a function word of a script without spaces. */
export function isFunctionWord(word: string): boolean {
  return functionWords.has(word);
}

/** True for a folded English function word. */
type IsEnglish = (word: string) => boolean;

/**
 * The function words in a query that is not in English; none if it is.
 * @param words folded as in the text index
 */
export function foreignFunctionWords(words: readonly string[], isEnglish: IsEnglish): ReadonlySet<string> {
  const { telling, others, latin } = readLists(isEnglish);
  if (!words.some((word) => telling.has(word))) return NONE;
  const found = new Set(words.filter((word) => others.has(word)));
  for (const language of latin)
    if (isSpoken(language, words, isEnglish)) for (const word of words) if (language.all.has(word)) found.add(word);
  return found;
}

/** True for the words of a text in a language that writes compounds as one word. */
export function joinsWords(words: readonly string[], isEnglish: IsEnglish): boolean {
  const { telling, latin } = readLists(isEnglish);
  if (!words.some((word) => telling.has(word))) return false;
  return latin.some((language) => language.joinsWords && isSpoken(language, words, isEnglish));
}

function isSpoken({ clear, all }: Lists["latin"][number], words: readonly string[], isEnglish: IsEnglish): boolean {
  const own = words.filter((word) => clear.has(word)).length;
  return own > 0 && own > words.filter((word) => isEnglish(word) && !all.has(word)).length;
}

/** True for a word in Latin script that is a function word of some other language, even if it means something in English. */
export function isForeignWord(word: string, isEnglish: IsEnglish): boolean {
  return readLists(isEnglish).anyLatin.has(word);
}

function readLists(isEnglish: IsEnglish): Lists {
  if (lists) return lists;
  const others = fold(OTHERS);
  const latin = LATIN.map(({ clear, shared, joinsWords = false }) => ({
    joinsWords,
    // Without its accents, a word may be an English one.
    clear: new Set([...fold(clear)].filter((word) => !isEnglish(word))),
    all: fold(`${clear} ${shared}`),
  }));
  const telling = new Set([...others, ...latin.flatMap(({ clear }) => [...clear])]);
  const anyLatin = new Set(latin.flatMap(({ all }) => [...all]));
  return (lists = { telling, others, latin, anyLatin });
}

function fold(list: string): ReadonlySet<string> {
  return new Set(list.split(" ").map((word) => foldSpaced(word.normalize("NFKC").toLowerCase()).word));
}
