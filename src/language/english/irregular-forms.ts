/** Irregular inflections and spelling variants of English words, one word per entry: the base form comes first. */
export const IRREGULAR_FORMS: readonly string[] = (
  "go went gone goes|buy bought|eat ate eaten|teach taught|meet met|see saw seen|take took taken|give gave given|" +
  "get got gotten|make made|find found|feel felt|leave left|lose lost|win won|run ran|swim swam swum|sing sang sung|" +
  "begin began begun|drink drank drunk|drive drove driven|write wrote written|ride rode ridden|speak spoke spoken|" +
  "break broke broken|choose chose chosen|wake woke woken|grow grew grown|know knew known|fly flew flown|draw drew drawn|" +
  "throw threw thrown|show shown|wear wore worn|think thought|bring brought|catch caught|fight fought|sell sold|tell told|" +
  "say said|pay paid|keep kept|sleep slept|spend spent|send sent|build built|lend lent|hear heard|hold held|stand stood|" +
  "understand understood|sit sat|become became|come came|fall fell fallen|forget forgot forgotten|hide hid hidden|" +
  "steal stole stolen|feed fed|lead led|shoot shot|hang hung|rise risen|shake shook shaken|swear swore sworn|" +
  "tear tore torn|bite bit bitten|deal dealt|dream dreamt|learn learnt|burn burnt|mean meant|sew sewn|shine shone|" +
  "stick stuck|strike struck|sweep swept|withdraw withdrew withdrawn|forgive forgave forgiven|freeze froze frozen|" +
  "blow blew blown|bend bent|bleed bled|breed bred|dig dug|marry married marries|child children|person people|man men|" +
  "woman women|foot feet|tooth teeth|mouse mice|goose geese|wife wives|knife knives|shelf shelves|half halves|wolf wolves|" +
  "loaf loaves|mum mom mommy mummy mama|dad daddy papa|grandma granny|grandpa grandad|favorite favourite|color colour|" +
  "neighbor neighbour|neighborhood neighbourhood|theater theatre|center centre|organize organise|realize realise|" +
  "recognize recognise|apologize apologise|gray grey|program programme|license licence|" +
  "counsel counselor counsellor counseling counselling|travel traveling travelling traveled travelled traveler traveller|" +
  "photo photograph photography photographer|television tv|bike bicycle|phone telephone|fridge refrigerator|" +
  "plane airplane aeroplane|gym gymnasium|exam examination|repo repository|db database|app application|" +
  "config configuration|docs documentation|auth authentication|prod production|k8s kubernetes|postgres postgresql|" +
  "js javascript|ts typescript|january jan|february feb|april apr|june jun|july jul|august aug|" +
  "september sep sept|october oct|november nov|december dec|tuesday tue tues|thursday thu thurs|friday fri"
).split("|");

/** Words of one family that stemming keeps apart, such as a verb and its agent noun. */
export const WORD_FAMILIES: readonly string[] = (
  "marry marriage|choice choose|death die dead|loss lose|flight fly|speech speak|thought think|birth born|proof prove|" +
  "belief believe|advice advise|success succeed successful|failure fail|departure depart|arrival arrive|decision decide|" +
  "education educate|music musical musician|art artist artistic|paint painter|teach teacher|dance dancer|sing singer|" +
  "write writer|swim swimmer|run runner|climb climber|hike hiker|photo picture|garden gardener|bake baker bakery|" +
  "drive driver|act actor actress|farm farmer|design designer|develop developer|program programmer|manage manager|" +
  "lead leader leadership|own owner|found founder|law lawyer legal|science scientist scientific|" +
  "psychology psychologist psychological|therapy therapist|pharmacy pharmacist|guitar guitarist|piano pianist|drum drummer|" +
  "violin violinist|medicine medical medication|religion religious|politics political politician|history historical|" +
  "nature natural|finance financial|allergy allergic|vegetarian veggie|invest investor|weigh weight|tall height|" +
  "high height|deep depth|long length|wide width|strong strength|young youth|poor poverty|hungry hunger|angry anger|" +
  "anxious anxiety|proud pride|lonely loneliness|mentor mentorship|friend friendship|member membership|parent parenthood|" +
  "child childhood|compete competition competitor|perform performance performer|celebrate celebration|japan japanese|" +
  "china chinese|france french|spain spanish|germany german|italy italian|korea korean|russia russian|portugal portuguese|" +
  "sweden swedish|india indian|america american|canada canadian|mexico mexican|britain british england english|" +
  "brazil brazilian|europe european|asia asian|africa african|greece greek|thailand thai|vietnam vietnamese|poland polish|" +
  "ireland irish|netherlands dutch|switzerland swiss|norway norwegian|denmark danish|finland finnish|turkey turkish|" +
  "australia australian|mother mum|father dad|grandmother grandma|grandfather grandpa|ski skier|surf surfer|cycle cyclist|" +
  "ride rider|bike biker|game gamer|explore explorer|research researcher|consult consultant|account accountant|" +
  "assist assistant|serve service|analyze analysis analyst|divorce divorced|graduate graduation|explain explanation|" +
  "describe description|deploy deployment|migrate migration|encrypt encryption|authenticate authentication login|" +
  "pregnant pregnancy|ill illness|sick sickness|wood wooden|wool woolen|gold golden|north northern|south southern|" +
  "east eastern|west western|beauty beautiful|danger dangerous|fame famous|health healthy|nutrition nutritionist|" +
  "diabetes diabetic|asthma asthmatic|athlete athletic|economy economic economics|journal journalist journalism|" +
  "library librarian|chemistry chemist chemical|physics physicist|biology biologist|novel novelist|poem poet poetry|" +
  "comedy comedian|magic magician|electric electrician electricity|technic technical technology technician|cook cooker|" +
  "bank banker|vote voter|smoke smoker|sleep asleep|live alive"
).split("|");
