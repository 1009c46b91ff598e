// The words of the corpus. Some are listed here; names, places and terms are built from parts, so that there are
// thousands of them, as in real notes, whose rare words are mostly names.

const list = (text) => text.trim().split(/\s+/);

export const GIVEN_NAMES = list(`
  Ana Ben Chloe David Elif Farid Greta Hugo Ines Jonas Kira Liam Mona Nils Olga Pavel Rosa Sami Tara Umar Vera Wim Xenia
  Yusuf Zoe Amara Bruno Celia Dario Esme Felix Gita Hana Ivan Jade Karim Lena Marco Nadia Oskar Petra Quinn Ravi Selma
  Tomas Ursula Viktor Wanda Yara Zeno Agnes Boris Carla Diego Edith Fiona Goran Heidi Igor Judith Kofi Laila Milan Noor
  Otto Paula Rafael Sonja Theo Ulla Vito Wendy Yvonne Zara Adil Bella Cyril Dalia Emil Freya Gustav Helga Ismail Jana`);

const SURNAME_STARTS = list(`
  Ash Berg Brand Carl Dal Dun Elm Fair Fen Gold Hal Har Hazel Holm Jarr Kel Kirk Lang Lind Lock Mar Mill Nor Oak Pell
  Quill Rath Reed Rook Sand Shel Stan Stone Thorn Tor Ul Vance Wald Ward West Win Wolf Yar Zell`);
const SURNAME_ENDS = list(`
  beck berg bourne bridge by combe dale den ell er feld field ford gard gate grove ham hurst ing land ley low man mere mont
  more ner ness sen smith son stad stein stone stow ton vale wall ward water well wick wood worth`);
export const SURNAMES = SURNAME_STARTS.flatMap((start) => SURNAME_ENDS.map((end) => start + end));

const PLACE_STARTS = list(`
  Al Bar Ber Cal Cor Dor El Far Gal Hel Is Kal Lor Mal Mon Nar Ol Pal Quar Ros Sal Tal Ur Val Ver Wil Yel Zan`);
const PLACE_ENDS = list(`
  aby adera ano arlo asten avik eda elby endale enna erin esso etta iano ica idor illo inga isle iva ona onia ora osta
  oven unde urgh ybridge`);
export const PLACES = PLACE_STARTS.flatMap((start) => PLACE_ENDS.map((end) => start + end));

/** Made-up terms: products, projects, ships, plants. Lower case, two to four syllables. */
export const TERMS = makeTerms(3_000);

function makeTerms(count) {
  const onsets = list("b br c ch d dr fl g gl gr h j k kl l m n p pl pr qu r s sh sk sl st t tr v w z");
  const middles = list("a e i o u ai ea io ou");
  const codas = list("n r l m s x nd rn th st p d rl");
  const terms = new Set();
  for (let at = 1; terms.size < count; at++) {
    // A multiplicative walk visits the combinations in no noticeable order.
    const draw = (salt, from) => from[((at * 2_654_435_761 + salt * 40_503) >>> 7) % from.length];
    const middle = at % 3 === 0 ? draw(3, onsets) + draw(11, middles) : "";
    terms.add(draw(1, onsets) + draw(5, middles) + middle + draw(17, onsets) + draw(7, middles) + draw(29, codas));
  }
  return [...terms];
}

/** Things that people write about, the common ones first. */
export const THINGS = list(`
  house car book phone garden kitchen bicycle dog table letter ticket coat camera bread coffee boat piano lamp painting
  laptop chair window roof door bed shed fence bridge engine battery printer monitor keyboard notebook passport contract
  invoice receipt ladder hammer drill saw wrench kettle oven fridge freezer mirror carpet curtain pillow blanket candle
  clock watch ring necklace scarf glove boot sandal jacket sweater umbrella suitcase backpack tent stove compass map
  guitar violin cello trumpet flute drum harp accordion microphone speaker turntable record poster sculpture vase mug
  plate bowl spoon knife pan whisk grater blender toaster scale thermometer bandage inhaler crutch wheelchair stroller
  swing slide sandbox trampoline kite puzzle chessboard telescope microscope magnet prism balance burner beaker tractor
  plough rake spade hoe wheelbarrow greenhouse beehive chicken goat sheep donkey pony parrot tortoise ferret rabbit
  aquarium kayak canoe paddle oar sail anchor rope buoy lantern surfboard snowboard sled skate helmet racket bat goal
  whistle stopwatch trophy medal banner flag drone scooter van truck trailer caravan tram ferry glider balloon`);

export const QUALITIES = list(`
  old new small red green blue heavy broken second-hand wooden copper silver striped faded borrowed expensive cheap quiet
  noisy folding electric rusty handmade antique spare portable yellow purple leather woollen plastic ceramic enormous tiny
  damaged repaired rented shared favourite forgotten`);

export const TRADES = list(`
  nurse welder teacher geologist baker pilot carpenter plumber translator surveyor librarian chemist gardener cook tailor
  accountant architect beekeeper blacksmith bookbinder botanist brewer butcher cartographer cellist clockmaker conductor
  courier dentist diver economist electrician engraver farmer firefighter fisher florist forester glazier goldsmith
  historian illustrator jeweller judge journalist linguist locksmith mason mechanic midwife miller notary optician painter
  paramedic pharmacist photographer physicist potter printer restorer roofer saddler sculptor shepherd statistician
  tanner upholsterer vet violinist weaver zoologist`);

export const FOODS = list(`
  soup lentils rice noodles dumplings olives mushrooms spinach salmon herring cheese walnuts honey plums figs cherries
  apricots rhubarb pancakes waffles porridge pickles radishes beetroot pumpkin chestnuts ginger cinnamon saffron basil
  oysters shrimp tofu yoghurt pears quince almonds peanuts shellfish pistachios asparagus artichokes fennel leeks`);

export const SUBJECTS = list(`
  migration budget release rota audit survey contract lease warranty insurance exhibition concert workshop conference
  renovation harvest tournament inspection recital reunion wedding excavation translation documentary newsletter
  calibration backup firewall rollout prototype questionnaire vaccination scholarship fundraiser apprenticeship`);

export const MONTHS = list(`
  January February March April May June July August September October November December`);
export const DAYS = list("Monday Tuesday Wednesday Thursday Friday Saturday Sunday");
