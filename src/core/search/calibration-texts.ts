/** A text and what somebody might ask or say about it without using its words. */
export type OtherWords = readonly [asked: string, text: string];

/** Everyday texts in one language. Texts from different pairs are unrelated. */
export interface CalibrationTexts {
  readonly language: string;
  /** The same subject in other words: the two share no content word. */
  readonly pairs: readonly OtherWords[];
  /** The same text, differing only in form. */
  readonly nearIdentical: readonly OtherWords[];
}

/** Increased whenever a text changes, so that every space is measured again. */
export const CALIBRATION_TEXTS_VERSION = 1;

const ENGLISH: CalibrationTexts = {
  language: "en",
  pairs: [
    ["Which animal lives with them?", "They keep an old tortoise that sleeps under the radiator all winter."],
    [
      "How does she get to the office?",
      "On weekdays she takes the number nine tram and then walks ten minutes to her desk.",
    ],
    ["What must he never eat?", "A single bite of shellfish makes his throat swell, so he reads every menu carefully."],
    [
      "The car broke down again.",
      "The old van would not start this morning, its battery being flat for the third time.",
    ],
    ["When is the rent due?", "The landlord expects the monthly payment for the flat on the first."],
    ["Who taught the children to swim?", "Their grandmother gave both boys their first lessons in the pool."],
    ["What is wrong with the kitchen tap?", "Water drips into the sink all night because a washer is worn out."],
    ["Is the film worth watching?", "The critics loved the new thriller, and the cinema has been full all week."],
    ["Which crops are grown there?", "The farmer sowed barley on the slope and potatoes further down."],
    [
      "How did the election end?",
      "The mayor lost by two hundred votes, and her rival takes over the town hall in May.",
    ],
    ["Treatment for a sprained ankle", "Rest the injured joint, cool it with ice, and put the leg up on a cushion."],
    [
      "What is the weather going to be like?",
      "Heavy rain and storms are forecast for Saturday, with sunshine returning by Monday.",
    ],
    ["Which programming language is used?", "The developers write the server in Rust and compile it on every commit."],
    ["How much money is left?", "After the holidays our savings account holds barely four hundred euros."],
    ["Best time to visit the temple", "Go to the shrine at dawn, before the tourists arrive."],
    ["What did the doctor prescribe?", "The physician wrote down antibiotics to be taken twice a day for a week."],
    [
      "He plays a musical instrument.",
      "Most evenings the violin can be heard from his room; he practises scales for the orchestra.",
    ],
    ["Why was the flight delayed?", "The plane could not take off on schedule because of fog over the airport."],
    ["Which team won the match?", "The visitors scored twice in the last minutes and beat the champions."],
    [
      "A recipe for bread",
      "Mix flour, buttermilk and baking soda, knead the dough briefly and put the loaf into a hot oven.",
    ],
    ["Reasons for the factory's closing", "The plant shut down when orders for steel dried up and costs rose."],
    ["Are they married?", "The couple held their wedding in a small chapel by the sea."],
    ["What is she studying?", "She is in the second year of a chemistry degree at the university."],
    [
      "What does the museum exhibit?",
      "The gallery shows paintings and sculptures by local artists of the last century.",
    ],
    [
      "How was the burglar caught?",
      "Police arrested the thief after somebody noticed a broken window and called them.",
    ],
    [
      "Which phone should I buy?",
      "For its price the cheaper mobile has the better camera and a screen that does not scratch.",
    ],
    [
      "How do bees find their way?",
      "Insects that gather nectar steer by the sun and remember landmarks around their hive.",
    ],
    ["What colour are the walls?", "The decorators painted the bedroom pale green last spring."],
    ["When does the baby sleep?", "Our infant naps after lunch and goes to bed at seven."],
    ["Which shoes suit long hikes?", "Sturdy boots are what you want for days of walking in the mountains."],
    ["Has the parcel been delivered?", "The courier left the package with the neighbours on Thursday."],
    ["Why do volcanoes erupt?", "Molten rock and gas rise from the depths until the pressure bursts the crust open."],
    ["Where is the meeting?", "Colleagues gather in the conference room on the third floor at half past two."],
    ["Is the dress too expensive?", "That gown costs more than she can afford."],
    ["Which book does he recommend?", "He says that everybody ought to read that novel, the author's first."],
    ["What languages can they speak?", "Both are fluent in Polish and understand a little Hungarian."],
    [
      "Where can wet clothes be dried?",
      "The bathroom of the cottage is tiny. There is a line between the two apple trees for the laundry, and a rack in the attic when it rains. The washing machine stands in the cellar, behind the boiler.",
    ],
    [
      "How did the lawyer defend her client?",
      "The trial lasted nine days. On the last of them the attorney told the jury that no witness had seen the accused near the warehouse. The judge adjourned, and the verdict came after lunch: not guilty.",
    ],
    [
      "Did the new medicine cure the patients?",
      "Two hundred people took part in the study. Half of them swallowed the drug each morning, the others a sugar pill. After six weeks the symptoms had gone in most of the first group, and side effects were mild.",
    ],
    [
      "What presents did she get for her birthday?",
      "Twelve guests came to the party on Sunday. Her aunt gave her a bicycle, her brother a box of watercolours. In the evening they lit the candles on the cake, and everybody sang.",
    ],
    [
      "How can I make my computer faster?",
      "A slow laptop is often short of memory. Close the programs that you do not need, remove those that start with the system, and replace the hard disk with a solid state drive. Only then think of a new processor.",
    ],
    [
      "Why did the ship sink?",
      "The ferry left the harbour at midnight in rough seas. A hatch in the bow had not been shut, and waves flooded the lower deck. She capsized within an hour; the lifeboats saved all but three of the crew.",
    ],
    [
      "Tips for the job interview",
      "Find out what the company does before you apply. Arrive ten minutes early, bring your certificates, and ask the manager about the tasks of the position. Talk about salary last of all.",
    ],
    [
      "How is the vineyard's harvest turned into a drink?",
      "The grapes are picked in September. They are pressed on the same day, and the juice ferments in steel tanks for a month. The wine then rests in oak barrels until it is bottled.",
    ],
  ],
  nearIdentical: [
    [
      "They keep an old tortoise which sleeps under the radiator all winter",
      "They keep an old tortoise that sleeps under the radiator all winter.",
    ],
    [
      "The landlord expects the monthly payment for the flat on the 1st.",
      "The landlord expects the monthly payment for the flat on the first.",
    ],
    [
      "their grandmother gave both the boys their first lessons in the pool",
      "Their grandmother gave both boys their first lessons in the pool.",
    ],
    [
      "The critics loved the new thriller and the cinema was full all week.",
      "The critics loved the new thriller, and the cinema has been full all week.",
    ],
    ["Before the tourists arrive, at dawn, go to the shrine.", "Go to the shrine at dawn, before the tourists arrive."],
    [
      "The plane couldn't take off on schedule because of the fog over the airport.",
      "The plane could not take off on schedule because of fog over the airport.",
    ],
    [
      "The couple held the wedding in a small chapel by the sea",
      "The couple held their wedding in a small chapel by the sea.",
    ],
    [
      "She's in the second year of her chemistry degree at the university.",
      "She is in the second year of a chemistry degree at the university.",
    ],
    [
      "Last spring the decorators painted the bedroom pale green.",
      "The decorators painted the bedroom pale green last spring.",
    ],
    [
      "On Thursday the courier left the package with the neighbours.",
      "The courier left the package with the neighbours on Thursday.",
    ],
    ["Our infant naps after lunch and goes to bed at 7.", "Our infant naps after lunch and goes to bed at seven."],
    [
      "Both of them are fluent in Polish and understand a little Hungarian.",
      "Both are fluent in Polish and understand a little Hungarian.",
    ],
  ],
};

const GERMAN: CalibrationTexts = {
  language: "de",
  pairs: [
    ["Welches Haustier haben sie?", "Ihr alter Kater schläft den ganzen Winter auf der Fensterbank."],
    ["Wie kommt er zur Arbeit?", "Morgens nimmt er die Straßenbahn und läuft dann noch fünf Minuten bis ins Büro."],
    ["Wer hat das Spiel gewonnen?", "Die Gäste schossen kurz vor Schluss zwei Tore und schlugen den Meister."],
    ["Wann muss die Miete bezahlt werden?", "Der Vermieter erwartet das Geld für die Wohnung am Ersten des Monats."],
    ["Wie wird das Wetter?", "Am Wochenende regnet es stark, danach scheint wieder die Sonne."],
    ["Was hat der Arzt verschrieben?", "Der Doktor gab ihr Tabletten gegen das Fieber, zweimal am Tag zu nehmen."],
    ["Lohnt sich der neue Film?", "Im Kino war jede Vorstellung ausverkauft, und die Kritiker sind begeistert."],
    ["Welche Farbe haben die Wände?", "Die Maler haben das Schlafzimmer im Frühjahr hellgrün gestrichen."],
    ["Wo findet die Besprechung statt?", "Die Kollegen treffen sich um halb drei im Konferenzraum."],
    ["Was baut der Bauer an?", "Auf dem Acker wachsen Gerste und Kartoffeln."],
  ],
  nearIdentical: [["Auf dem Acker wachsen Kartoffeln und Gerste", "Auf dem Acker wachsen Gerste und Kartoffeln."]],
};

const SPANISH: CalibrationTexts = {
  language: "es",
  pairs: [
    ["¿Qué mascota tienen?", "Su viejo gato duerme todo el invierno junto a la estufa."],
    ["¿Cómo va ella al trabajo?", "Por las mañanas toma el tranvía y luego camina hasta la oficina."],
    ["¿Quién ganó el partido?", "Los visitantes marcaron dos goles al final y derrotaron al campeón."],
    ["¿Cuándo se paga el alquiler?", "El casero espera el dinero del piso el primer día del mes."],
    ["¿Qué tiempo hará?", "El fin de semana habrá lluvia fuerte y después volverá a salir el sol."],
    ["¿Qué le recetó el médico?", "El doctor le dio pastillas contra la fiebre, dos veces al día."],
    ["¿Vale la pena ver la película?", "El cine estaba lleno y a los críticos les encantó."],
    ["¿De qué color son las paredes?", "Los pintores dejaron el dormitorio de un verde claro."],
    ["¿Dónde es la reunión?", "Los compañeros se juntan a las dos y media en la sala de conferencias."],
    ["¿Qué cultiva el agricultor?", "En el campo crecen cebada y patatas."],
  ],
  nearIdentical: [["En el campo crecen patatas y cebada", "En el campo crecen cebada y patatas."]],
};

const CHINESE: CalibrationTexts = {
  language: "zh",
  pairs: [
    ["他们养什么宠物?", "家里那只老猫整个冬天都睡在暖气旁边。"],
    ["她怎么上班?", "每天早上她先坐地铁,再走五分钟到办公室。"],
    ["哪个队赢了比赛?", "客队在最后几分钟连进两球,击败了冠军。"],
    ["房租什么时候交?", "房东要求每月一号付清公寓的费用。"],
    ["天气会怎么样?", "周末有大雨,星期一太阳又会出来。"],
    ["医生开了什么药?", "大夫让她每天吃两次退烧片。"],
    ["这部电影好看吗?", "影院场场爆满,评论家都很喜欢这部新片。"],
    ["墙是什么颜色的?", "工人春天把卧室刷成了浅绿。"],
    ["会议在哪里开?", "同事们两点半在三楼的大厅集合讨论。"],
    ["农民种什么?", "山坡上的田里长着大麦和土豆。"],
  ],
  nearIdentical: [["山坡上的田里长着土豆和大麦", "山坡上的田里长着大麦和土豆。"]],
};

const JAPANESE: CalibrationTexts = {
  language: "ja",
  pairs: [
    ["どんなペットを飼っていますか。", "年寄りの猫が冬のあいだずっとストーブのそばで寝ている。"],
    ["彼女はどうやって通勤していますか。", "毎朝地下鉄に乗って、それから五分歩いて会社に着く。"],
    ["どのチームが試合に勝ちましたか。", "アウェー側が終盤に二点を入れ、王者を破った。"],
    ["家賃の支払いはいつですか。", "大家さんは毎月一日に部屋代を受け取る。"],
    ["天気はどうなりますか。", "週末は大雨で、月曜日にはまた太陽が出る見込みだ。"],
    ["医者は何を処方しましたか。", "先生は一日二回飲む熱さましの薬をくれた。"],
    ["その映画は面白いですか。", "新作は評論家に絶賛され、館内は毎日満席だ。"],
    ["壁は何色ですか。", "職人が春に寝室を薄い緑に塗った。"],
    ["会議はどこでありますか。", "同僚たちは二時半に三階の広間に集まって話し合う。"],
    ["農家は何を作っていますか。", "坂の畑には麦とじゃがいもが植えてある。"],
  ],
  nearIdentical: [["坂の畑にはじゃがいもと麦が植えてある", "坂の畑には麦とじゃがいもが植えてある。"]],
};

/** The texts used to measure every vector space. English first: most models know it. */
export const CALIBRATION_TEXTS: readonly CalibrationTexts[] = [ENGLISH, GERMAN, SPANISH, CHINESE, JAPANESE];
