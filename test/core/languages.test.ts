import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queryWords } from "../../src/language/words.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

/** Notes written for this test, by language, each with questions that it answers. */
const NOTES: Readonly<Record<string, readonly (readonly [note: string, ...questions: string[]])[]>> = {
  japanese: [
    [
      "田中さんは毎朝公園でコーヒーを飲みながら新聞を読みます。",
      "田中さんは毎朝何を飲みますか",
      "コーヒー",
      "新聞を読むのは誰",
    ],
    ["妹の結婚式は来年の六月に京都の神社で行われます。", "結婚式はどこで行われますか", "妹の結婚式", "京都"],
    ["会議室の鍵は受付の引き出しに入っています。", "鍵はどこにありますか", "会議室の鍵"],
    ["犬のポチは雷が怖くて押し入れに隠れます。", "ポチは何が怖い", "犬"],
    ["東京タワーの近くのラーメン屋は月曜日が定休日です。", "ラーメン屋の定休日はいつ", "東京タワー"],
    ["佐藤健太は大阪大学で化学を教えている。", "佐藤健太の仕事", "化学を教えている人", "大阪"],
  ],
  simplified: [
    ["李明去年从上海搬到了成都，现在在一家茶馆工作。", "李明现在住在哪里", "茶馆", "谁在茶馆工作"],
    ["奶奶的生日是农历八月十五，她最喜欢吃月饼。", "奶奶喜欢吃什么", "奶奶的生日", "月饼"],
    ["我们的服务器每天凌晨三点自动备份数据库。", "数据库什么时候备份", "服务器备份"],
    ["小猫咪咪对牛奶过敏，兽医让它吃特殊的粮食。", "猫对什么过敏", "兽医"],
    ["周末的羽毛球比赛改到了体育馆二楼。", "羽毛球比赛在哪里", "体育馆"],
    ["王芳正在学习西班牙语，打算明年去墨西哥旅行。", "王芳在学什么语言", "墨西哥旅行"],
  ],
  traditional: [
    ["陳先生在台北開了一間賣珍珠奶茶的小店。", "誰在台北開店", "珍珠奶茶"],
    ["圖書館星期一休館，其他日子開到晚上九點。", "圖書館星期幾休館", "圖書館"],
    ["外婆教我用竹葉包粽子。", "誰教我包粽子", "竹葉"],
    ["牙醫的預約改到下週四上午十點半。", "牙醫預約是什麼時候", "牙醫"],
    ["弟弟養了兩隻烏龜，名字叫阿福和阿壽。", "烏龜叫什麼名字", "弟弟的烏龜"],
  ],
  thai: [
    ["สมชายทำงานเป็นครูสอนคณิตศาสตร์ที่โรงเรียนในเชียงใหม่", "ใครสอนคณิตศาสตร์", "เชียงใหม่", "โรงเรียน"],
    ["แม่ชอบทำแกงเขียวหวานทุกวันอาทิตย์", "แม่ชอบทำอาหารอะไร แกง", "แกงเขียวหวาน"],
    ["รถไฟไปหัวหินออกเวลาแปดโมงเช้า", "รถไฟออกกี่โมง", "หัวหิน"],
    ["แมวของฉันชื่อมะลิและกลัวเสียงฟ้าร้อง", "แมวชื่ออะไร", "แมวกลัวอะไร"],
    ["รหัสผ่านไวไฟอยู่หลังเครื่องพิมพ์", "รหัสผ่านไวไฟ", "เครื่องพิมพ์"],
  ],
  arabic: [
    ["تعمل ليلى مهندسة معمارية في القاهرة وتحب القهوة بدون سكر.", "أين تعمل ليلى", "المهندسة", "قهوة"],
    ["موعد طبيب الأسنان يوم الثلاثاء القادم الساعة العاشرة.", "متى موعد طبيب الأسنان", "أسنان"],
    ["اشترى أخي سيّارةً حمراء من دُبَيّ.", "ماذا اشترى أخي", "سيارة", "دبي"],
    ["تنام القطة الصغيرة فوق المكتبة كل ليلة.", "أين تنام القطة", "قطة", "مكتبة"],
    ["كلمة المرور مكتوبة في الدفتر الأزرق.", "أين كلمة المرور", "دفتر"],
  ],
  hindi: [
    ["रमेश दिल्ली के एक अस्पताल में डॉक्टर है।", "रमेश कहाँ काम करता है", "अस्पताल", "दिल्ली में डॉक्टर"],
    ["मेरी बहन की शादी दिसंबर में जयपुर में होगी।", "शादी कब होगी", "जयपुर", "बहन की शादी"],
    ["घर की चाबी नीले डिब्बे में रखी है।", "चाबी कहाँ है", "नीला डिब्बा"],
    ["कुत्ते को मूँगफली से एलर्जी है।", "कुत्ते को किससे एलर्जी है", "मूंगफली"],
    ["हर रविवार हम किताबों की दुकान जाते हैं।", "किताबें", "रविवार को हम कहाँ जाते हैं"],
  ],
  german: [
    [
      "Die Krankenversicherung von Jürgen Müller läuft im März aus.",
      "Wann läuft die Versicherung von Jürgen aus?",
      "Mueller",
      "Krankenversicherungen",
      "Versicherung",
    ],
    ["Oma backt jeden Sonntag Apfelkuchen mit Walnüssen.", "Welchen Kuchen backt Oma?", "Walnuss", "Apfelkuchen"],
    [
      "Der Schlüssel für das Gartenhaus liegt unter dem Blumentopf.",
      "Wo liegt der Gartenhausschlüssel?",
      "Blumentöpfe",
      "Schluessel",
    ],
    [
      "Unsere Katzen schlafen am liebsten auf der Heizung in der Straße 12.",
      "Wo schläft die Katze am liebsten?",
      "Strasse",
    ],
    [
      "Die Besprechung mit dem Steuerberater wurde auf Donnerstag verschoben.",
      "Auf welchen Tag wurde die Besprechung verschoben?",
      "Steuerberatung",
    ],
    [
      "Anna wohnt seit zwei Jahren in Köln und arbeitet als Krankenschwester.",
      "Wo wohnt Anna?",
      "Koeln",
      "Was arbeitet Anna?",
    ],
  ],
  korean: [
    ["김민수는 서울에서 요리사로 일하고 주말마다 등산을 합니다.", "김민수의 직업은 요리사인가요", "등산", "서울에"],
    ["할머니 생신은 시월 이십일이고 인절미를 좋아하신다.", "할머니는 무엇을 좋아하세요", "인절미", "할머니의 생신"],
    ["집 열쇠는 현관 화분 아래에 있다.", "열쇠가 어디에 있나요", "집의 열쇠", "화분"],
    ["고양이 나비는 청소기 소리를 무서워한다.", "고양이는 무엇을 무서워하나요", "청소기"],
    ["회의가 삼층 회의실에서 오층으로 바뀌었다.", "회의실이 바뀌었나요", "오층"],
  ],
  hebrew: [
    ["דנה גרה בחיפה ועובדת כמורה לפסנתר.", "איפה גרה דנה", "חיפה", "פסנתר"],
    ["המפתח של המחסן נמצא במגירה העליונה.", "איפה המפתח", "מגירה", "מחסן"],
    ["הכלב שלנו אוהב לאכול גזר ופוחד מזיקוקים.", "ממה הכלב פוחד", "כלב", "זיקוקים"],
    ["חתונת אחותי תתקיים באולם ליד הים בספטמבר.", "מתי החתונה של אחותי", "אולם"],
    ["שָׁלוֹם הוא הרופא של הילדים.", "מי הרופא", "שלום"],
  ],
  russian: [
    ["Ольга живёт в Москве и работает учительницей музыки.", "Где живет Ольга?", "Москва", "учительница"],
    ["Ключи от дачи лежат в синей коробке на полке.", "Где ключи от дачи?", "синяя коробка", "ключ"],
    ["Наша собака боится грозы и прячется под кроватью.", "Чего боится собака?", "гроза", "кровать"],
    ["Встречу с бухгалтером перенесли на пятницу.", "На какой день перенесли встречу?", "бухгалтер"],
    ["Ёлку мы купили на рынке за тысячу рублей.", "елка", "Где купили ёлку?"],
  ],
  turkish: [
    ["Ayşe İzmir'de diş hekimi olarak çalışıyor.", "Ayşe nerede çalışıyor?", "izmir", "diş hekimi"],
    ["Anahtarlar mutfaktaki mavi kutunun içinde.", "Anahtarlar nerede?", "mavi kutu", "anahtar"],
    ["Kedimiz Pamuk elektrik süpürgesinden korkuyor.", "Kedi neden korkuyor?", "süpürge", "PAMUK"],
    ["Dedem her sabah Isparta gülü çayı içer.", "Dedem sabahları ne içer?", "ısparta", "gül çayı"],
    ["Toplantı perşembe gününe ertelendi.", "Toplantı hangi güne ertelendi?", "Persembe"],
  ],
  greek: [
    ["Η Μαρία ζει στη Θεσσαλονίκη και δουλεύει ως γιατρός.", "Πού ζει η Μαρία;", "θεσσαλονικη", "γιατροί"],
    ["Τα κλειδιά του σπιτιού είναι στο πράσινο συρτάρι.", "Πού είναι τα κλειδιά;", "συρτάρια", "σπίτι"],
    ["Ο σκύλος μας φοβάται τις βροντές.", "Τι φοβάται ο σκύλος;", "ΣΚΥΛΟΣ", "βροντή"],
    ["Το ραντεβού με τον οδοντίατρο είναι την Τετάρτη.", "Πότε είναι το ραντεβού;", "οδοντίατρος"],
    ["Η γιαγιά φτιάχνει μουσακά κάθε Κυριακή.", "Τι φτιάχνει η γιαγιά;", "μουσακάς"],
  ],
  vietnamese: [
    ["Lan sống ở Đà Nẵng và dạy tiếng Anh cho trẻ em.", "Lan sống ở đâu?", "da nang", "dạy tiếng Anh"],
    ["Chìa khóa nhà kho nằm dưới chậu hoa.", "Chìa khóa ở đâu?", "chau hoa"],
    ["Con mèo của tôi sợ tiếng sấm.", "Con mèo sợ gì?", "mèo"],
    ["Cuộc họp được dời sang thứ năm.", "Cuộc họp được dời sang ngày nào?", "cuoc hop"],
  ],
};

/** Inflected and compound words of languages without a known grammar: found by their letters, beside the vectors. */
const BY_LETTERS: ReadonlySet<string> = new Set([
  "Krankenversicherungen",
  "Walnuss",
  "Steuerberatung",
  "anahtar",
  "süpürge",
]);

let opened: ManualCore;
const containers = new Map<string, number>();

beforeAll(async () => {
  opened = await openManualCore();
  const call = opened.call();
  for (const [language, notes] of Object.entries(NOTES))
    for (const [note] of notes) await opened.core.addDocument(call, { content: note, containerTags: [language] });
  await opened.settle();
  for (const { tag, id } of await opened.store.containers.find(call.actor.organizationId, Object.keys(NOTES)))
    containers.set(tag, id);
}, 60_000);

afterAll(() => opened.close());

const cases = Object.entries(NOTES).flatMap(([language, notes]) =>
  notes.flatMap(([note, ...questions]) => questions.map((question) => ({ language, question, note }))),
);

describe("a note in another language is found by a question in that language", () => {
  test.each(cases)("$language: $question", async ({ language, question, note }) => {
    const { results } = await opened.core.search(opened.call(), { q: question, containerTags: [language] });
    expect(results[0]?.text).toBe(note);
  });
});

describe("and by words alone", () => {
  const inWords = cases.filter(({ question }) => !BY_LETTERS.has(question));
  test.each(inWords)("$language: $question", async ({ language, question, note }) => {
    expect(await findByWords(language, question)).toBe(note);
  });
});

/** The text of the first result of the text index. */
async function findByWords(language: string, question: string): Promise<string | undefined> {
  const scope = { containerIds: [containers.get(language) ?? 0], kinds: ["chunk"] as const, includeForgotten: false };
  const { hits } = await opened.store.units.searchText(scope, queryWords(question), { limit: 1 });
  const details = await opened.store.units.details(
    opened.call().actor.organizationId,
    scope,
    hits.map(({ unit }) => unit),
  );
  return details[0]?.text;
}
