import type { Facet } from "./facet.js";

/** Who somebody is, where they come from and whom they live with. */
export const PERSON_FACETS: readonly Facet[] = [
  {
    asked: `how old, age, aged, alt ist, wie alt, alter, quel age, age de, cuantos anos, edad, quanti anni, eta, quantos anos, idade,
      hoe oud, leeftijd, ile lat, wiek, 何歳, 年齢, 多大, 几岁, 年龄`,
    told: `years old, year-old, year old, aged, age, turned *, turns *, will be *ty, is nine, is ten, is eleven, is twelve, is *teen, is *ty, is *ty-*,
      am *ty-*, is \\d\\d?, am \\d\\d?, born, birthday, jahre alt, jahrig*, geboren, ans, ne en, nee en, anos, nacio, anni, nato, nata, nasceu, jaar,
      lat, urodzi*, 歳, 岁, 生まれ, 出生`,
  },
  {
    asked: `my name, my first name, my full name, am i called, who am i, user's name, name of the user`,
    told: `name is, user is, i am, i'm, goes by, known as`,
  },
  {
    asked: `birthday, birthdate, birth date, date of birth, born on, when was * born, geburtstag, geburtsdatum, wann * geboren, anniversaire,
      date de naissance, cumpleanos, cumple anos, fecha de nacimiento, compleanno, data di nascita, aniversario, data de nascimento, faz anos,
      verjaardag, geboortedatum, jarig, urodziny, data urodzenia, 誕生日, 生年月日, 生日, 出生日期`,
    told: `birthday, birthdate, born, turns, turned, will be *ty, leap day, geburtstag, geboren, anniversaire, ne le, nee le, cumple*, nacio, compleanno,
      nato, nata, compie, aniversario, nasceu, faz anos, verjaardag, jarig, urodzi*, 誕生日, 生まれ, 生日, 出生`,
  },
  {
    asked: `birthplace, place of birth, where was * born, where * from, hometown, home town, where * grow up, where * grew up, come from, geburtsort,
      heimatort, woher kommt, woher stammt, wo * geboren, lieu de naissance, ne ou, lugar de nacimiento, donde nacio, luogo di nascita, dove e nato,
      dove e nata, naturalidade, onde nasceu, geboorteplaats, miejsce urodzenia, 出身, 生まれた場所, 出生地, 老家, 哪里人`,
    told: `born in, was born, grew up, raised in, comes from, originally from, native of, is from, am from, geboren, aufgewachsen, stammt, kommt aus, ne a, nee a,
      originaire, nacio en, natural de, nato a, nata a, originari*, nasceu em, geboren, opgegroeid, urodzi*, pochodzi, 出身, 生まれ, 出生, 长大`,
  },
  {
    asked: `where * live, where * lives, where * living, where is * home, city * live, town * live, country * live, live in, lives in, residence, based, wo wohnt, wo wohne, wo lebt, wohnort, ou habite, ou vit, domicile, donde vive, domicilio, dove vive,
      dove abita, residenza, onde vive, onde mora, waar woont, woonplaats, gdzie mieszka, 住まい, どこに住,
      住在哪, 住哪, 家住, 住在`,
    told: `lives, live, lived, living in, resides, relocated, moved to, moved from, based in, rents, rent from, bought the house, bought a house, flat in, house in, home is, stays in, settled, address,
      wohnt, wohne, lebt, gezogen, zog nach, habite, vit a, vit dans, demenage, vive, vivo, mudo, reside, abita, abito, trasferi*, mora, moro, mudou,
      woont, verhuisd, mieszka, mieszkam, przeprowadzi*, 住んで, 暮らし, 引っ越, 住在, 搬`,
  },
  {
    asked: `wife, husband, spouse, partner, married, marry, marries, marriage, marital, girlfriend, boyfriend, fiance, fiancee, significant other, relationship status, wedding,
      ehemann, ehefrau, ehepartner, partnerin, verheiratet, mann der, frau des, freundin, mari, epouse, epoux, femme de, conjoint*, compagn*, marie,
      marido, esposa, esposo, mujer del, pareja, casado, casada, novio, novia, marito, moglie, coniuge, sposat*, compagn*, fidanzat*, namorad*, conjuge,
      echtgeno*, getrouwd, partner, vriendin, maz, meza, zona, zone, malzon*, 配偶者, 妻, 夫, 結婚, 旦那, 奥さん, 丈夫, 妻子, 老公, 老婆, 先生, 爱人, 配偶, 结婚, 太太`,
    told: `wife, husband, spouse, partner, married, marriage, girlfriend, boyfriend, fiance, fiancee, engaged, divorce*, ex-husband, ex-wife, widow*, single, separated,
      split from, split up, broke up, verheiratet, ehemann, ehefrau, mann, frau, partner*, verlobt, geschieden, getrennt, mari, epouse, epoux, femme, compagn*, separe*,
      divorce*, marie*, mujer, esposa, esposo, marido, casad*, novia, novio, pareja, divorciad*, marito, moglie, sposat*, fidanzat*, divorziat*, casou, namorad*,
      getrouwd, man, vrouw, vriend*, gescheiden, maz, mezem, zona, zonaty, mezatka, rozwied*, 妻, 夫, 結婚, 離婚, 婚約, 丈夫, 妻子, 老公, 老婆, 结婚, 离婚, 未婚`,
    isAnother: true,
  },
  {
    asked: `pet, pets, animal, animals, haustier*, tier, tiere, animal domestique, animaux, mascota*, animali, animale, animais, animal de estimacao, huisdier*, dier, dieren, zwierze*, zwierzak*, ペット, 動物, 宠物, 动物`,
    told: `pet, pets, dog, dogs, puppy, cat, cats, kitten, rabbit*, hamster*, guinea pig*, parrot*, budgie*, canary, horse*, pony, donkey*, goat*, sheep, hen, hens, chicken*, duck*, geese, pig, pigs, cow, cows, alpaca*, ferret*, tortoise*, turtle*,
      snake*, lizard*, gecko*, fish tank, goldfish, axolotl*, bees, llama*, greyhound*, labrador*, retriever*, terrier*, spaniel*, dachshund*, collie*, poodle*, beagle*, shepherd dog, bulldog*, husky, tabby, siamese,
      hund*, katze*, kater, hahn, huhn*, henne*, pferd*, ziege*, kaninchen, vogel, papagei*, chien*, chat, chats, chatte, lapin*, cheval, chevaux, chevre*, ane, poule*, perro*, perra, gato*, gata, loro, caballo*, conejo*, gallina*, pajaro*,
      cane, cani, gatto, gatti, gatta, coniglio, cavallo, pappagallo, gallin*, cao, caes, cachorro*, coelho*, papagaio, cavalo, hond*, kat, katten, poes, konijn*, paard*, kip, kippen, geit*, papegaai, pies, psa, kot, kota, kotka, krolik*, jamnik*, jamnicz*, suczk*,
      犬, 猫, うさぎ, 亀, 鳥, 飼って, 狗, 猫, 兔, 鸟, 鱼, 养了`,
    isAnother: true,
  },
  {
    asked: `dog, dogs, hund, hunde, chien, perro, cane, cao, hond, pies, psa, 犬, 狗`,
    told: `dog, dogs, puppy, greyhound*, labrador*, retriever*, terrier*, spaniel*, dachshund*, collie*, poodle*, beagle*, bulldog*, husky, whippet*, corgi*, hund*, dackel, chien*, perro*, perra, cane, cani, cao, caes, cachorro*, hond*, teckel, pies, psa, psy, jamnik*, jamnicz*, suczk*, 犬, 狗`,
    isAnother: true,
  },
  {
    asked: `friend, friends, best friend, mate, bestie, freund, freunde, amis, ami, amigos, amigo, amici, amico, vriend, vrienden, przyjaciel*, 友達, 親友, 朋友`,
    told: `friend*, mate, mates, bestie, pal, freund*, ami, amie, amis, amigo*, amiga*, amic*, vriend*, przyjaci*, 友, 朋友`,
  },
  {
    asked: `nickname, nick name, call me, call him, call her, called by, addressed, address the user, address me, spitzname, siezen, duzen, surnom, apodo, soprannome, alcunha, bijnaam, przezwisko, あだ名, 呼び, 昵称, 称呼, 怎么叫`,
    told: `nickname*, call me, called, calls, goes by, known as, prefers to be called, addressed, first name, spitzname, duzen, geduzt, siezen, gesiezt, genannt, surnom*, tutoy*, vouvoy*, appele*, apodo, tutear, llam*, soprannom*, chiamat*, alcunha, bijnaam, tutoyeren, przezwisk*, 呼, 叫`,
  },
  {
    asked: `native language, mother tongue, first language, muttersprache, langue maternelle, lengua materna, lingua madre, madrelingua, lingua materna, moedertaal, jezyk ojczysty, 母国語, 母語, 母语`,
    told: `native, mother tongue, first language, muttersprach*, maternelle, materna, madrelingua, lingua madre, moedertaal, ojczyst*, 母国語, 母語, 母语`,
  },
  {
    asked: `language, languages, speak, speaks, fluent, sprachen, sprache, spricht, langues, langue, parle, idiomas, idioma, habla, lingue, parla, linguas, fala, talen, taal, spreekt, jezyk*, mowi, 言語, 言葉, 外国語, 语言, 外语`,
    told: `language*, speak*, fluent, bilingual, tongue, translat*, learning *, english, french, german, spanish, italian, portuguese, dutch, polish, russian, chinese, mandarin, cantonese, japanese, korean, arabic, hindi, urdu, punjabi, turkish, greek, hebrew, welsh, irish, gaelic, frisian, swedish, norwegian, danish, finnish, latin,
      sprach*, sprich*, deutsch, englisch, franzosisch, spanisch, italienisch, langue*, parle, anglais, allemand, espagnol, italien, occitan, idioma*, habla*, ingles, aleman, frances, portugues, italiano, lingu*, parla*, inglese, tedesco, francese, spagnolo, fala*, alemao, espanhol, taal, spreekt, engels, duits, frans, jezyk*, angielsk*, niemieck*, norwesk*, 語, 语`,
  },
  {
    asked: `religion, religious, faith, church, believe in god, religios, konfession, kirche, eglise, iglesia, religione, religiao, geloof, kerk, religia, wyznanie, 宗教, 信仰`,
    told: `religio*, church*, christian*, catholic*, protestant*, muslim*, islam*, jewish, jew, judaism, hindu*, buddhis*, atheis*, agnostic*, quaker*, vicar*, priest*, mosque, synagogue, temple, faith, pray*, kosher, halal, ramadan, sabbath, shabbat, lent, baptis*, bar mitzvah, communion, mass on, kirche*, katholi*, evangelisch*, kirch*, eglise, catholique, iglesia, catolic*, chiesa, cattolic*, igreja, kerk*, katholiek, kosci*, katoli*, 教会, 仏教, 信仰, 佛教, 基督`,
  },
  {
    asked: `how tall, height, korpergrosse, taille, estatura, altura, altezza, lengte, wzrost, 身長, 身高, 多高`,
    told: `tall, height, feet, cm, centimet*, metre*, meter*, gross, mesure, mide, alto, alta, estatura, altezza, altura, lang, wzrost*, 身長, 身高, センチ, 厘米`,
  },
  {
    asked: `shoe size, shoes size, size of shoe, size * shoes, boot size, feet size, schuhgrosse, pointure, numero de zapato, numero di scarpe, numero de sapato, calcado, schoenmaat, rozmiar buta, 靴のサイズ, 足のサイズ, 鞋码`,
    told: `shoe*, size * in boots, boots, trainers, sneakers, schuhgrosse, schuh*, pointure, chausse, calza, zapato*, scarpe, sapato*, calca, schoen*, but*, 靴, 鞋`,
  },
  {
    asked: `mother, mum, mom, mam, mummy, mommy, mutter, mama, mere, maman, madre, mamma, mae, moeder, matka, matki, 母, 母親, お母さん, 妈妈, 母亲`,
    told: `mother, mum, mom, mam, mummy, mommy, parents, mutter, mama, eltern, mere, maman, parents, madre, padres, mamma, genitori, mae, pais, moeder, ouders, matk*, rodzic*, 母, 両親, 妈, 父母`,
    isAnother: true,
  },
  {
    asked: `father, dad, daddy, vater, papa, pere, padre, babbo, pai, vader, ojciec, ojca, 父, 父親, お父さん, 爸爸, 父亲`,
    told: `father, dad, daddy, parents, vater, papa, eltern, pere, parents, padre, padres, babbo, genitori, pai, pais, vader, ouders, oj*c*, rodzic*, 父, 両親, 爸`,
    isAnother: true,
  },
  {
    asked: `parents, folks, eltern, padres, genitori, pais, ouders, rodzice, rodzicow, 両親, 父母, 爸妈`,
    told: `parents, folks, mother, father, mum, mom, mam, dad, eltern, mutter, vater, mere, pere, padres, madre, padre, genitori, mae, pai, pais, ouders, moeder, vader, rodzic*, matk*, oj*c*, 両親, 母, 父, 爸, 妈`,
    isAnother: true,
  },
  {
    asked: `kids, kid, children, child, kinder, enfant, enfants, hijos, figli, filhos, kinderen, dzieci, dziecko, 子供, 子ども, 孩子, 小孩`,
    told: `kids, children, childless, a child, one child, son, sons, daughter, daughters, twins, twin boys, twin girls, boys, girls, baby, toddler, stepson, stepdaughter, foster*, kinder, kind, kinderlos, sohn*, tochter*,
      enfant*, fils, fille*, jumea*, hijo*, hija*, gemel*, figl*, filh*, kinderen, zoon, dochter*, tweeling, dziec*, syn*, cork*, 子供, 子ども, 息子, 娘, 長男, 長女, 孩子, 儿子, 女儿`,
    isAnother: true,
  },
  {
    asked: `son, sons, boy, boys, sohn, sohne, fils, hijo, figlio, filho, zoon, syn, syna, 息子, 長男, 儿子`,
    told: `son, sons, stepson, boy, boys, kids, children, no children, sohn*, kinder, fils, enfants, hijo, hijos, figlio, figli, filho, filhos, zoon, zonen, kinderen, syn*, dzieci, 息子, 長男, 子供, 子ども, 儿子, 孩子`,
    isAnother: true,
  },
  {
    asked: `daughter, daughters, girls, tochter, fille, filles, hija, hijas, figlia, figlie, filha, filhas, dochter, dochters, corka, corki, 娘, 長女, 女儿`,
    told: `daughter*, stepdaughter, girls, kids, children, tochter*, kinder, fille*, enfants, hija*, figlia, figlie, filha*, dochter*, kinderen, cork*, coreczk*, dzieci, 娘, 長女, 子供, 子ども, 女儿, 孩子`,
    isAnother: true,
  },
  {
    asked: `brother, brothers, bruder, frere, freres, hermano, hermanos, fratello, fratelli, irmao, irmaos, broer, broers, brat, brata, 兄, 弟, 哥哥, 弟弟`,
    told: `brother*, siblings, only child, bruder*, geschwister, einzelkind, frere*, hermano*, fratell*, figli* unic*, irmao*, broer*, brat, brat*, rodzenstw*, 兄, 弟, 哥, 弟, 独生`,
    isAnother: true,
  },
  {
    asked: `sister, sisters, schwester, schwestern, soeur, soeurs, hermana, hermanas, sorella, sorelle, irma, irmas, zus, zussen, siostra, siostry, 姉, 妹, 姐姐, 妹妹`,
    told: `sister*, siblings, only child, schwester*, geschwister, einzelkind, soeur*, hermana*, sorell*, irma, irmas, zus*, siostr*, rodzenstw*, 姉, 妹, 姐, 独生`,
    isAnother: true,
  },
  {
    asked: `sibling, siblings, brothers or sisters, brother or sister, brothers and sisters, geschwister, fratrie, rodzenstwo, 兄弟, 姉妹, 兄弟姐妹`,
    told: `sibling*, brother*, sister*, twin, only child, geschwister, bruder*, schwester*, einzelkind, frere*, soeur*, hermano*, hermana*, fratell*, sorell*, irmao*, irma, irmas, broer*, zus*, brat*, siostr*, rodzen*, 兄, 弟, 姉, 妹, 哥, 姐, 独生`,
    isAnother: true,
  },
  {
    asked: `address, postal address, street, postcode, zip code, house number, adresse, anschrift, postleitzahl, hausnummer, code postal, direccion, codigo postal, indirizzo, endereco, morada, adres, postcode, 住所, 番地, 地址, 邮编`,
    told: `address, street, road, avenue, lane, square, postcode, zip, adresse, anschrift, *strasse, rue, avenue, calle, avenida, direccion, via, indirizzo, rua, endereco, *straat, *weg, ulic*, adres, 丁目, 番地, 住所, 地址, 号`,
  },
  {
    asked: `email address, e-mail address, email, e-mail, emailadresse, e-mail-adresse, courriel, correo electronico, indirizzo e-mail, indirizzo email, e-mailadres, adres e-mail, メールアドレス, 邮箱`,
    told: `email address, e-mail address, @, email is, e-mail is, mailadresse, courriel, correo electronico, メールアドレス, 邮箱`,
  },
  {
    asked: `phone number, telephone number, mobile number, cell number, phone, telefonnummer, handynummer, numero de telephone, numero de telefono, telefono, numero di telefono, numero de telefone, telefoonnummer, numer telefonu, 電話番号, 手机号, 电话号码, 电话`,
    told: `phone number, telephone number, mobile number, phone is, phone has, short number, \\+\\d+, \\d\\d\\d\\d\\d+, telefonnummer, handynummer, numero de telefon*, numero di telefono, telefoonnummer, numer telefonu, 電話番号, 手机号, 电话号`,
  },
];
