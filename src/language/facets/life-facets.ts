import type { Facet } from "./facet.js";

/** What somebody eats, suffers from, does and likes. */
export const LIFE_FACETS: readonly Facet[] = [
  {
    asked: `allergic, allergy, allergies, intolerance, intolerances, intolerant, allergisch, allergie, allergien, unvertraglich*, allergique, allergies, alergia, alergias, alergico, alergica, allergia, allergie, allergico, allergica, uczulen*, uczulon*, alergie, allergieen, アレルギー, 过敏, 忌口`,
    told: `allerg*, intoleran*, hives, anaphyla*, epipen, cannot digest, can't have, cannot have, can't eat, cannot eat, coeliac, celiac, allergisch*, vertragt kein*, unvertraglich*, allergi*, ne supporte pas, alergi*, intoleran*, uczulon*, verdraagt geen, アレルギー, 过敏, 不耐受`,
  },
  {
    asked: `diet, dietary, eat, eats, food, foods, meal, meals, serve, cook, dinner, lunch, dish, dishes, menu, recipe, steak, steakhouse, meat, fish, seafood, pasta, pizza, bread, cake, biscuits, nuts, cheese, milk, yoghurt, yogurt, sushi, burger, barbecue, vegetarian, vegan, gluten,
      allowed to eat, avoid eating, tolerate, snack, snacks, breakfast, ernahrung, essen, isst, gericht, abendessen, mittagessen, kochen, fleisch, servieren, manger, mange, repas, servir, cuisiner, plat, viande, comer, comida, cenar, cena, cocinar, carne, plato, mangiare, mangia, cena, pranzo, cucinare, preparare, bistecca, carne, piatto,
      comer, jantar, almoco, cozinhar, prato, eten, eet, maaltijd, koken, vlees, jesc, obiad, kolacja, ugotowac, gulasz, mieso, ciast*, 食事, 食べ, 料理, 夕食, 饮食, 吃, 晚饭, 菜, 牛奶, 拿铁`,
    told: `vegetarian*, vegan*, pescatarian*, kosher, halal, coeliac, celiac, gluten, lactose, allerg*, intoleran*, eats, eat, does not eat, doesn't eat, cannot digest, can't have, diet, meat, pork, shellfish, refuses, vegetarier*, isst, esse, vertragt, allergisch, laktose, vegetarien*, mange, supporte pas, vegetarian*, come, alergic*, vegetariano, vegetariana, mangia, allergic*, vegetarian*,
      alergic*, nao come, eet geen, vegetarier, allergisch, nie je, nie jada, wegetarian*, uczulon*, アレルギー, 食べられ, ベジタリアン, 过敏, 不吃, 吃素, 不耐受, 不喝牛奶`,
  },
  {
    asked: `favourite food, favorite food, favourite dish, favorite dish, favourite meal, favorite meal, lieblingsessen, lieblingsgericht, plat prefere, comida favorita, plato favorito, piatto preferito, cibo preferito, prato favorito, comida preferida, lievelingseten, ulubione danie, ulubione jedzenie, 好物, 好きな食べ物, 爱吃, 最喜欢吃, 喜欢吃`,
    told: `favourite food, favorite food, favourite dish, favorite dish, loves anything with, loves eating, likes * best, craves, lieblingsessen, lieblingsgericht, isst am liebsten, plat prefere, adore les, comida favorita, plato favorito, piatto preferito, prato favorito, lievelingseten, ulubion* dani*, 好きな食べ物, 好物, 爱吃, 喜欢吃`,
  },
  {
    asked: `dislike, dislikes, hate, hates, doesn't like, does not like, can't stand, avoid, hasst, mag nicht, mag kein, deteste, aime pas, odia, no le gusta, odio, non piace, odeia, nao gosta, haat, houdt niet van, nie lubi, nienawidzi, 嫌い, 苦手, 讨厌, 不喜欢`,
    told: `dislike*, hate*, loathe*, detest*, can't stand, cannot stand, refuses, despise*, doesn't like, does not like, grumbles, hasst, mag kein*, mag nicht, hass*, deteste*, aime pas, odia*, no soporta, detesta*, odeia*, haat, nie lubi, nienawidzi, 嫌い, 苦手, 讨厌, 不喜欢`,
  },
  {
    asked: `afraid, scared, fear, fears, phobia, phobias, frightened, angst, furcht, furchtet, peur, miedo, teme, paura, medo, bang voor, boi sie, strach, lek, 怖い, 苦手, 恐怖症, 怕, 害怕`,
    told: `afraid, scared, fear*, phobi*, frightened, terrified, dread*, cannot stand heights, can't stand heights, angst, furchtet, peur, craint, phobie, miedo, teme, paura, medo, bang, boi sie, strach, 怖, 恐, 怕`,
  },
  {
    asked: `alcohol, beer, wine, whisky, cocktail, cocktails, bottle of, pub, alkohol, bier, wein, alcool, biere, vin, cerveza, birra, bottiglia, cerveja, vinho, bier, wijn, piwo, wino, お酒, 飲み会, ビール, 酒, 喝酒`,
    told: `alcohol*, drink, drinks, drank, drunk, teetotal*, sober, beer*, wine*, whisky, gin, rum, trinkt, bier, wein, abstinent, boit, biere, vin, alcool, bebe, cerveza, vino, alcohol, beve, birra, alcol*, cerveja, vinho, drinkt, wijn, pije, piwo, wino, お酒, 飲め, 喝酒, 酒`,
  },
  {
    asked: `drink, drinks, beverage, beverages, trinkt, trinken, getrank, boisson, boit, bebida, bebidas, bebe, bevanda, beve, bere, drinkt, drankje, pije, napoj, 飲み物, 飲む, 喝`,
    told: `drink*, drank, tea, coffee, espresso, cappuccino, latte, juice, water, lemonade, cola, cocoa, milk, alcohol*, beer*, wine*, whisky, gin, trinkt, tee, kaffee, saft, wasser, bier, wein, boit, du the, un the, le the, the vert, the noir, cafe, jus, eau, biere, vin, bebe, un te, el te, te verde, te negro, zumo, agua, cerveza, vino, beve, caffe, succo, acqua, birra, cha, suco, sumo, drinkt, thee, koffie, sap, wijn, pije, herbat*, kaw*, sok, wod*, お茶, コーヒー, 飲, 酒, 喝, 茶, 咖啡, 奶`,
  },
  {
    asked: `music, musik, musique, musica, muziek, muzyka, muzyki, listen to, listens to, 音楽, 音乐`,
    told: `music*, listen*, jazz, rock, pop, punk, metal, folk, blues, soul, reggae, techno, hip-hop, rap, opera, classical, composer*, singer*, band, bands, orchestra, choir, album*, song*, vinyl, concert*, plays the *, sings, drums, musik*, hort, musique, ecoute, musica, escucha, ascolta, ouve, muziek, luistert, muzyk*, slucha, 音楽, 聴, 音乐, 听`,
  },
  {
    asked: `restaurant, restaurants, eat out, eats out, eating out, dine, dining, cafe, takeaway, essen gehen, ristorante, restaurante, restauracja, レストラン, 外食, 餐厅, 饭馆`,
    told: `restaurant*, cafe*, bistro, diner, pizzeria, canteen, bar, pub, takeaway, eats out, dine*, ristorante, trattoria, restaurante, restauracj*, レストラン, 食堂, 店, 餐厅, 饭馆`,
  },
  {
    asked: `smoke, smokes, smoker, smoking, cigarettes, vape, vapes, vaping, raucht, raucher*, fume, fumeur, fuma, fumador, fumatore, rookt, palacz, タバコ, 喫煙, 抽烟, 吸烟`,
    told: `smok*, vap*, cigarette*, tobacco, nicotine, raucht, rauchen, geraucht, fume*, cigar*, fuma*, fumar, rookt, roken, pali, palenie, papieros*, タバコ, 煙草, 抽烟, 吸烟, 烟`,
  },
  {
    asked: `medication, medications, medicine, medicines, pills, tablets, drugs, prescription, taking any, medikament*, tabletten, medicament*, medicina, medicinas, medicamento*, pastillas, farmaci, farmaco, medicine, remedio*, medicijn*, pillen, leki, lek, 薬, 药`,
    told: `medicat*, medicine*, \\d+ ?mg, *mg, pill, pills, tablet, prescri*, insulin, inhaler, antibiotic*, thinner, statin*, melatonin, dose, mg, painkiller*, medikament*, tablette*, medicament*, comprime*, medicin*, pastilla*, farmac*, pillol*, remedio*, medicij*, pil, pillen, lek, leki, leków, 薬, 药`,
  },
  {
    asked: `illness, disease, medical condition, medical conditions, health problem, health problems, health issue, health issues, health condition, diagnosis, diagnosed, krankheit, krankheiten, gesundheit*, maladie*, sante, enfermedad*, salud, malattia, malattie, salute, doenca*, saude, ziekte*, gezondheid, choroba, choroby, zdrowie, 病気, 持病, 健康, 疾病, 健康状况`,
    told: `diagnos*, disease, disorder, condition, asthma, diabet*, cancer, migraine*, arthritis, epilep*, cholesterol, blood pressure, coeliac, celiac, dementia, stroke, pacemaker, hernia, depress*, anxiety, allerg*, deaf, blind, colour-blind, injur*, pain, krank*, leidet, diabet*, asthma, migrane, maladie*, souffre, asthme, migraine*, enferm*, padece, asma, sufre, malatt*, soffre, emicrania, doen*, sofre, ziek*, lijdt, chor*, cierpi, 病, 腰痛, 症, 痛`,
  },
  {
    asked: `injury, injuries, broken bone, broke, accident, verletzung*, unfall, blessure, lesion, infortunio, lesao, blessure, kontuzja, けが, 怪我, 受伤`,
    told: `injur*, broke, broken, tore, torn, sprain*, fractur*, accident, wound*, scar, dislocat*, verletz*, gebrochen, blesse*, casse*, lesion*, rompio, roto, rotto, rotta, infortun*, partiu, quebrou, brak, gebroken, zlam*, kontuz*, 骨折, けが, 受伤`,
  },
  {
    asked: `surgery, operation, operated, operiert, chirurgie, opere, operee, operacion, cirugia, operazione, intervento, operacao, cirurgia, operatie, operacja, 手術, 手术`,
    told: `surg*, operation, operated, transplant*, implant*, hysterectomy, appendi*, hernia, operiert, opere*, operacion, operad*, operat*, intervent*, cirurg*, geopereerd, operac*, 手術, 手术`,
  },
  {
    asked: `eyesight, glasses, see well, see properly, contact lens*, brille, kurzsichtig, sieht schlecht, lunettes, voit, gafas, occhiali, oculos, bril, okulary, wzrok, 視力, メガネ, 眼鏡, 视力, 眼镜`,
    told: `glasses, contact lens*, lenses, short-sighted, shortsighted, long-sighted, blind, colour-blind, color-blind, eyesight, dioptr*, brille, kontaktlinse*, lunettes, lentilles, gafas, lentillas, occhiali, lenti, oculos, lentes, bril, lenzen, okulary, soczewk*, 眼鏡, コンタクト, 眼镜, 近视`,
  },
  {
    asked: `hearing, hear well, hear properly, deaf, loud, noisy, hort schlecht, schwerhorig, lauter, gehor, entend, sourd, oye, sordo, sente bene, surdo, ouve, hoort, doof, slyszy, 聴力, 耳, 听力`,
    told: `hearing, hear, deaf*, hearing aid, horgerat*, schwerhorig, appareil auditif, sourd*, audifono*, sordo, sorda, apparecchio acustico, surdo*, aparelho auditivo, gehoorapparaat, doof, aparat sluch*, 補聴器, 助听器, 耳`,
  },
  {
    asked: `sport, sports, exercise, exercises, workout, fitness, athletic, keep fit, stay fit, gym, sportart, treibt, deporte*, sporte, esporte*, desporto*, exercicio*, sporten, cwicz*, trenuje, uprawia, スポーツ, 運動, 运动, 健身`,
    told: `sport*, gym, football, soccer, rugby, cricket, tennis, badminton, squash, basketball, volleyball, hockey, golf, swim*, run, runs, running, jog*, cycl*, row, rows, rowing, sail*, ski, skis, skiing, snowboard*, climb*, boulder*, hik*, yoga, pilates, judo, karate, boxing, box, boxes, fencing, dance*, dancing, tango, ballet, marathon, surf*, skat*, gymnast*, lifts weights, weightlifting, crossfit, martial, trains in, five-a-side,
      fussball, schwimm*, lauft, joggt, turn*, klettert, rad, foot, natation, nage, court, couru, course, escalade, velo, futbol, nada, corre, natacion, ciclismo, calcio, nuota, nuoto, corsa, futebol, corrida, voetbal, zwemt, hardloop*, fietst, pilka, plywa, biega, rower*, 走, サッカー, 野球, 水泳, 跑, 游泳, 瑜伽, 足球, 篮球`,
  },
  {
    asked: `football team, soccer team, sports team, team * support, favourite team, favorite team, which club, football club, fussballverein, lieblingsverein, equipe de foot*, equipo de futbol, squadra, time de futebol, equipa de futebol, clube, voetbalclub, druzyna, klub, 応援, 球队`,
    told: `support, supports, supporter, fan of, season ticket, football club, fussballverein, anhanger, fan, supporter, es del, hincha, socio, tifa, tifoso, tifosa, torce, adepto, fan van, kibic*, ファン, 応援, 球迷`,
  },
  {
    asked: `hobby, hobbies, free time, spare time, leisure, pastime, interests, for fun, freizeit, steckenpferd, loisir*, passe-temps, aficion*, tiempo libre, pasatiempo*, passatempo*, tempo libero, tempo livre, vrije tijd, wolnym czasie, zainteresowan*, 趣味, 爱好, 业余`,
    told: `hobb*, collect*, enjoys, plays, sings, knit*, crochet*, sew*, paint*, draw*, garden*, allotment, bak*, read, reads, photograph*, fish*, hik*, climb*, danc*, sail*, keen, repairs, grows, club, choir, band, orchestra, bird*, train*, chess, bridge, singt, sammelt, malt, spielt, strickt, liest, joue, collectionne, chante, peint, canta, colecciona, toca, juega, pinta, suona, colleziona, gioca, dipinge, joga, coleciona, speelt, verzamelt, zingt, gra, zbiera, spiewa, maluje, 趣味, 将棋, 集め, 爱好, 喜欢, 收集`,
  },
  {
    asked: `instrument, instruments, musical instrument, play any music, musikinstrument*, joue de quel, instrumento*, strumento, strumenti, muziekinstrument, instrumencie, 楽器, 乐器`,
    told: `instrument*, piano*, guitar*, violin*, viola, cello*, bass, double bass, drum*, flute, clarinet*, oboe, bassoon, saxophone*, sax, trumpet*, trombone*, tuba, horn, harp*, organ, accordion, banjo, ukulele, mandolin, harmonica, bagpipe*, keyboard*, recorder, fiddle,
      klavier, gitarre, geige, cello, trompete, flote, schlagzeug, orgel, violon*, guitare, flute, trompette, batterie, accordeon, harpe, guitarra, violin, flauta, trompeta, bateria, acordeon, chitarra, violino, flauto, tromba, batteria, fisarmonica, violao, viola, bateria, gitaar, viool, fluit, drums, gitar*, skrzyp*, flet*, akordeon*, perkusj*, pianin*, ピアノ, ギター, バイオリン, キーボード, ドラム, 钢琴, 吉他, 古筝, 二胡, 小提琴`,
  },
  {
    asked: `reading, read, reads, book, books, genre, novel, novels, literature, lekture, bucher, liest, lecture, livres, lectura, libros, lettura, libri, legge, leitura, livros, leest, boeken, czyta, ksiazk*, 読書, 本, 读书, 看书, 书`,
    told: `read*, book*, novel*, fiction, poetry, crime novels, audiobook*, author, lies*, liest, roman*, buch*, lit, livre*, roman*, libro*, novela*, legge, libr*, romanz*, livro*, leest, boek*, czyta, ksiazk*, powie*, 読, 小説, 本, 读, 书, 小说`,
  },
  {
    asked: `plan, plans, planning, goal, goals, dream, dreams, wish, wishes, ambition*, hope to, want to, wants to, would like, bucket list, ziel, ziele, traum, wunsch, wunsche, reve, projet*, sueno, suena, planes, meta, sogno, sogna, progetti, sonho, planos, doel, droom, wens, marzenie, marzy, plany, 夢, 予定, 目標, 梦想, 计划, 愿望`,
    told: `plan*, goal*, dream*, wish*, want*, hope*, hoping, would love, would like, i'd love, i'd like, intend*, aim*, saving for, one day, traum*, wunsch*, mochte, plant, reve*, veut, voudrait, projet*, suena, quiere, planea, sogna, vuole, sonha, quer, wil, droomt, chcial*, marzy, chce, planuje, 夢, つもり, 予定, たい, 计划, 想, 打算, 梦`,
  },
];
