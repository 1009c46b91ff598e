import type { Facet } from "./facet.js";

/** What somebody does for a living, owns and pays, and how they want to be dealt with. */
export const WORK_FACETS: readonly Facet[] = [
  {
    asked: `job, jobs, profession, occupation, career, work, works, working, employed, employer, for a living, for her living, for his living, for their living, earn money, earn a living, do at work, line of work, training to become, trade, breadwinner, what do * do, what does * do,
      beruf, arbeitet, arbeit, beruflich, job, metier, profession, travaille, emploi, boulot, fait dans la vie, trabajo, trabaja, profesion, oficio, se dedica, empleo, lavoro, lavora, mestiere, professione, trabalha, trabalho, profissao, emprego, beroep, werk, werkt, baan,
      zawod, pracuje, praca, czym zajmuje sie, zajmuje sie, 職業, 仕事, 勤務, 働いて, 职业, 工作, 上班, 做什么的`,
    told: `works as, works at, works for, works in, joined *, works night*, works shift*, worked, working as, job, employed by, employs, freelance*, self-employed, profession, career, retired, teaches, taught, runs a, runs an, runs the, manages, manager, teacher, nurse, doctor, engineer, developer, programmer, designer, architect, lawyer, solicitor, accountant, clerk, vicar, priest, baker, chef, cook, waiter, waitress,
      barista, bartender, bar shifts, shift, shifts, driver, pilot, captain, sailor, fisherman, farmer, farms, gardener, carpenter, joiner, plumber, electrician, builder, mechanic, welder, painter, artist, musician, writer, author, journalist, editor, translator, translate, translates, interpreter, librarian, scientist, researcher, astronomer, physicist, chemist, biologist, professor, lecturer, student, apprentice, paramedic, midwife, dentist, vet, veterinarian, pharmacist,
      therapist, psychologist, surgeon, physiotherapist, police officer, police sergeant, policeman, detective, investigates, firefighter, soldier, officer, inspector, surveyor, salesman, seller, shop assistant, shopkeeper, hairdresser, barber, tailor, potter, instructor, coach, trainer, secretary, receptionist, consultant, analyst, director, ceo, founder, founded, beekeeper, delivers, designs, repairs, restores, builds, studies, to study, studying,
      arbeitet, beruf, meister*, lehrer*, arzt, arztin, ingenieur*, verkauf*, leitet, selbststandig, schreiner*, tischler*, koch, kochin, backer*, krankenschwester, pfleger*, fuhrer, fahrer, pensioniert, travaille, metier, infirmier*, medecin, veterinaire, professeur*, ingenieur*, avocat*, boulang*, cuisin*, facteur, dirige, retraite*,
      trabaja, es cocinero, es cocinera, enfermer*, medico, medica, profesor*, maestr*, ingenier*, abogad*, camarer*, panader*, jubilad*, lleva un, dirige, lavora*, insegnante, infermier*, medico, ingegnere, avvocat*, cuoc*, librai*, gestisce, segretari*, pensionat*, fa il, fa la, liutaio, trabalha, professor*, enfermeir*, engenheir*, advogad*, cozinheir*, padeir*, violinist*, aposentad*, reformad*,
      werkt, leraar, lerares, verpleeg*, arts, ingenieur, advocaat, kok, bakker, tuinman, hovenier, gepensioneerd, pracuje, nauczyciel*, lekarz*, pielegniar*, inzynier*, prowadzi, kelner*, pilot*, mechanik*, emeryt*, 会社, 働, 勤め, 営業, 教師, 医師, 看護師, 保育士, エンジニア, 公司, 工程师, 老师, 医生, 护士, 摄影师, 当过, 做`,
  },
  {
    asked: `former job, previous job, earlier job, past job, job before, work before, worked before, do before, used to work, used to do, before becoming, before retirement, before retiring, previous employer, former employer, fruher* beruf, vorher gearbeitet, ancien metier, trabajo anterior, trabajaba antes, lavoro precedente, mestiere faceva, faceva prima, trabalho anterior, vorig werk, vorige baan, poprzednia praca, 以前の勤務, 以前の仕事, 前職, 以前的工作, 以前做`,
    told: `used to, former*, previously, before that, before *ing, worked as, spent * years, decade as, years as, after * years, once, taught, was a, was an, fruher, war *, ehemals, ancien*, etait, a travaille, antes, fue, era, trabajo como, ex, ha lavorato, faceva, prima, foi, era, trabalhou, vroeger, was, werkte, wczesniej, byl, byla, 以前, 昔, まで, 以前, 曾, 当过`,
  },
  {
    asked: `side job, second job, side hustle, part-time job, moonlight*, nebenjob, zweitjob, nebenberuf*, petit boulot, segundo trabajo, secondo lavoro, bijbaan, praca dodatkowa, 副業, 副业, 兼职`,
    told: `side job, second job, part-time, weekends, evenings, make ends meet, bar shifts, delivers, nebenbei, nebenjob, a cote, fines de semana, nei fine settimana, bijbaan, weekend, dorabia, 副業, 兼职`,
  },
  {
    asked: `study, studies, studied, studying, degree, university, college, school, educated, education, graduated, graduate, phd, doctorate, major, course, alma mater, studium, studiert, universitat, hochschule, schule, abschluss, etudes, etudie, universite, ecole, diplome, estudia, estudio*, universidad, carrera, escuela, colegio, studia, studi, studiato, universita, scuola, laurea, estuda, universidade, escola, curso, studeert, studie, universiteit, opleiding, school, studia, studiuje, uczelnia, szkola, 大学, 学校, 専攻, 大学, 学校, 专业, 毕业`,
    told: `study, studies, studied, studying, degree, university, uni, college, school, doctorate, phd, graduat*, master's, bachelor*, course, exam, montessori, apprentice*, studium, studiert*, promovier*, universitat, schule, klasse, etudes, etudie*, universite, ecole, diplome, doctorat, estudi*, universidad, escuela, colegio, carrera, studi*, universita, scuola, laurea*, liceo, estud*, universidade, escola, studeer*, studie*, universiteit, opleiding, studi*, uniwersytet, szkol*, przedszkol*, 大学, 学校, 学ん, 小学, 中学, 毕业, 学`,
  },
  {
    asked: `field of research, research field, research topic, research area, researches, research, specialise, specialize, specialty, speciality, forschung*, recherche, investigacion, ricerca, pesquisa, onderzoek, badania, 研究`,
    told: `research*, studies, measures, investigates, doctorate on, thesis, paper on, specialis*, specializ*, forscht, forschung, recherche*, investiga*, ricerca*, pesquisa*, onderzoek*, bada, badania, 研究`,
  },
  {
    asked: `working hours, work hours, office hours, opening hours, shift, shifts, finish work, start work, day off, days off, days do * work, off work, weekend work, work weekends, work on weekends, arbeitszeit*, offnungszeit*, ruhetag, feierabend, horaires, samedi, dimanche, horario, dia libre, giorno libero, orari*, chiusura, horario, folga, werktijden, vrije dag, openingstijden, godziny pracy, dzien wolny, 勤務時間, 休み, 営業時間, 上班时间, 休息`,
    told: `shift*, hours, from \\d*, until, early, late, night, never works, works on, off on, closes, closed, close, opens, open, weekend*, weekdays, on-call, monday*, tuesday*, wednesday*, thursday*, friday*, saturday*, sunday*, schicht*, geschlossen, offnet, schliesst, wochenende, ferme, ouvre, week-end, garde, cierra, abre, turno*, lunes, domingo, chiude, apre, turno, lunedi, domenica, fecha, abre, turno, sluit, open, dienst, zamyka, otwiera, zmiana, 時, 休み, 点, 周末`,
  },
  {
    asked: `holiday, holidays, vacation, vacations, annual leave, time off, urlaub, ferien, vacances, conges, vacaciones, ferie, vacanze, vacanza, ferias, vakantie, urlop, wakacje, 休暇, 休日, 假期, 度假`,
    told: `holiday*, vacation*, leave, trip, travel*, camino, urlaub*, ferien, reise*, vacances, conge*, voyage*, vacaciones, viaje*, ferie, vacanz*, viaggi*, ferias, viage*, vakantie*, reis*, urlop*, wakac*, podroz*, 休暇, 旅行, 假, 旅`,
  },
  {
    asked: `car, cars, vehicle, drive, drives, driving, auto, wagen, fahrzeug, fahrt, voiture, vehicule, conduit, roule, coche, vehiculo, carro, conduce, macchina, automobile, guida, veicolo, carro, veiculo, dirige, conduz, rijdt, wagen, voertuig, samochod*, jezdzi, pojazd, auto, 車, 车`,
    told: `car, cars, drive*, drove, driving, van, truck, lorry, suv, saloon, hatchback, pickup, seven-seater, motorbike, licence, license, volvo, saab, fiat, ford, toyota, honda, kia, hyundai, nissan, mazda, subaru, bmw, audi, mercedes, volkswagen, vw, opel, vauxhall, skoda, renault, peugeot, citroen, dacia, tesla, mini, jeep, land rover, jaguar, lexus, suzuki, porsche,
      auto, wagen, fahrt, bus mit, *-bus, voiture, roule, conduit, camionnette, coche, conduce, furgoneta, macchina, automobile, guida, gira in, vespa, carro, conduz, dirige, carrinha, rijdt, bestelbus, samochod*, jezdzi, auto, 車に, 自動車, 運転, 开车, 车, 驾`,
  },
  {
    asked: `commute, get to work, gets to work, travel to work, get around, gets around, go to work, goes to work, arbeitsweg, kommt zur arbeit, trajet, va au travail, va al trabajo, va al lavoro, vai para o trabalho, naar het werk, dojezdza, 通勤, 上下班, 怎么上班`,
    told: `commut*, cycles, bike, bicycle, bus, train, tram, metro, tube, walks, drive*, car, ferry, fahrrad, bahn, zug, velo, bici*, tren, treno, comboio, fiets*, trein, rower*, pociag*, autobus*, 電車, 自転車, バス, 地铁, 公交, 骑, 车`,
  },
  {
    asked: `rent, mortgage, loan, debt, debts, owe, owes, miete, hypothek, kredit, schulden, loyer, hypotheque, pret, emprunt, dette*, alquiler, hipoteca, prestamo, deuda*, affitto, mutuo, prestito, debit*, renda, aluguel, emprestimo, divida*, huur, hypotheek, lening, schuld*, czynsz, kredyt, dlug*, 家賃, ローン, 借金, 房租, 贷款, 房贷, 欠`,
    told: `rent, rents, mortgage*, loan*, debt*, owe*, landlord, pays, miete*, pacht, hypothek*, kredit*, schuld*, loyer, hypotheque, pret, emprunt*, dette*, alquiler, hipoteca, prestamo, deuda*, debe, affitto, mutuo, prestito, debit*, renda, aluguel, emprestimo, divid*, huur*, hypotheek, lening, schuld*, czynsz*, kredyt*, dlug*, 家賃, ローン, 借金, 房租, 贷款, 欠`,
  },
  {
    asked: `landlord, landlady, vermieter*, proprietaire, casero, casera, arrendador*, padrone di casa, senhorio, senhoria, huisbaas, verhuurder, wlasciciel mieszkania, 大家, 房东`,
    told: `landlord, landlady, rent from, vermieter*, proprietaire, caser*, padron*, senhori*, huisbaas, verhuurder, wlascic*, 大家, 房东`,
  },
  {
    asked: `lawyer, solicitor, attorney, anwalt, anwaltin, avocat*, abogad*, avvocat*, advogad*, advocaat, adwokat, prawnik, 弁護士, 律师`,
    told: `lawyer, solicitor, attorney, barrister, anwalt*, avocat*, abogad*, avvocat*, advogad*, advocaat, adwokat*, prawnik*, 弁護士, 律师`,
  },
  {
    asked: `flatmate, flatmates, roommate, roommates, housemate, housemates, living with, lives with, live with, mitbewohner*, colocataire*, companero* de piso, coinquilin*, colega de casa, huisgenoot, huisgenoten, wspollokator*, 同居, ルームメイト, 室友, 合租`,
    told: `flatmate*, roommate*, housemate*, shares a flat, shares a house, shares an apartment, lives with, live with, lives in * with, mitbewohner*, wg, colocataire*, colocation, companer* de piso, coinquilin*, huisgeno*, wspollok*, 同居, 暮らし, 室友, 合租`,
  },
  {
    asked: `contact, contacted, reach, message, messages, get in touch, call or text, phone or email, communicate, communication, kontakt, erreichen, contacter, joindre, contactar, mensajes, escribir, contattare, contatto, contattar*, contacto, bereiken, kontaktowac, 連絡, 联系, 联络`,
    told: `prefers * messages, text message*, voice message*, email, e-mail, phone calls, schedule calls, calls for me, contact*, message*, reach*, kontakt*, nachricht*, anruf*, message*, appel*, escrib*, mensaj*, llamad*, contatt*, messagg*, e-mail, mensag*, bericht*, bellen, wiadomos*, kontakt*, 連絡, メール, 联系, 短信, 微信`,
  },
  {
    asked: `format, formatted, formatting, style of answer, answer style, reply style, how should i answer, how should i reply, how to answer, length of answer*, answers be, replies be, font, font size, format*, antworten, reponses, respuestas, risposte, respostas, antwoorden, odpowiedzi, 返答, 回答`,
    told: `bullet*, markdown, short answers, concise, brief, font, format*, plain text, utc, iso, json, yaml, csv, units, metric, kurze antworten, reponses courtes, respuestas cortas, risposte brevi, respostas curtas, korte antwoorden, krotkie odpowiedzi, 短い, 简短`,
  },
  {
    asked: `sleep, sleeps, bedtime, go to bed, goes to bed, get up, gets up, wake up, wakes up, early riser, schlaft, bett, aufstehen, steht auf, dort, se couche, se leve, duerme, se levanta, se acuesta, dorme, si alza, va a letto, si sveglia, dorme, acorda, deita, slaapt, opstaan, staat op, spi, wstaje, 寝る, 起き, 睡, 起床`,
    told: `sleep*, bed, gets up, get up, wakes, wake up, insomnia, mornings, melatonin, early riser, night owl, schlaft, bett, steht auf, dort, couche, leve, insomnie, duerme, levanta, acuesta, dorme, alza, letto, sveglia, dorme, acorda, deita, slaapt, staat op, spi, wstaje, kladzie, 寝, 起き, 眠, 睡, 起床`,
  },
  {
    asked: `editor, ide, code editor, text editor, entwicklungsumgebung`,
    told: `editor, ide, vim, neovim, emacs, vscode, vs code, visual studio, intellij, pycharm, webstorm, jetbrains, sublime, notepad, zed, helix, cursor, xcode, android studio`,
  },
  {
    asked: `programming language, programming languages, coding language, code in, codes in, program in, programs in, programmiersprache, langage de programmation, lenguaje de programacion, linguaggio di programmazione, プログラミング言語, 编程语言`,
    told: `typescript, javascript, python, java, kotlin, rust, go, golang, ruby, php, perl, scala, haskell, elixir, erlang, swift, julia, fortran, cobol, clojure, lua, matlab, c\\+\\+, c#, codes in, programs in, sql`,
  },
  {
    asked: `operating system, which os, what os, betriebssystem, systeme d'exploitation, sistema operativo, besturingssysteem, 操作系统`,
    told: `operating system, linux, ubuntu, debian, fedora, arch, mint, nixos, freebsd, openbsd, windows, macos, os x, android, ios, chromeos, betriebssystem`,
  },
  {
    asked: `laptop, computer, notebook, machine, pc, rechner, ordinateur, ordenador, portatil, computer, computador, laptop, komputer, パソコン, 电脑`,
    told: `laptop, computer, macbook, imac, thinkpad, dell, lenovo, pc, desktop, workstation, rechner, ordinateur, ordenador, portatil, computador, komputer, パソコン, 电脑`,
  },
  {
    asked: `database, databases, data store, datenbank, base de donnees, base de datos, banco de dados, 数据库`,
    told: `database*, postgres*, postgresql, mysql, mariadb, sqlite, oracle, mongodb, redis, cassandra, dynamodb, sql server, bigint, column, table, datenbank`,
  },
  {
    asked: `subscribe, subscribes, subscription, subscriptions, subscribed, magazine, newspaper, newspapers, magazines, abo, abonnement, abonne, abonnee, suscripcion, suscrito, abbonamento, abbonato, assinatura, assina, prenumerata, 購読, 订阅`,
    told: `subscri*, magazine*, newspaper*, reads the *, netflix, spotify, abo, abonn*, suscri*, abbona*, assina*, prenumer*, 購読, 订阅`,
  },
  {
    asked: `stored, storage, store, kept, keep * things, stash, hidden, aufbewahrt, gelagert, range, rangee, guardado, guardada, conservato, conservata, guardado, bewaard, opgeslagen, przechowywane, 保管, 存放`,
    told: `stored, stores, storage, warehouse*, depot, kept, keeps, keep, cupboard, drawer, box, shelf, safe, vault, cellar, garage, loft, attic, shed, hidden, bucket, path, folder, lager*, aufbewahr*, schrank, schublade, keller, range*, placard, cave, armario, cajon, almacen*, armadio, cassetto, magazzin*, armazen*, gaveta, kast, lade, magazijn, szaf*, szuflad*, magazyn*, 棚, 倉庫, 保管, 抽屉, 仓库, 柜`,
  },
];
