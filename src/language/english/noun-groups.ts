/** Groups of related English words around nouns, separated by `;`. Same form as `LIFE_GROUPS`: `heads / members`. */
export const NOUN_GROUPS: readonly string[] = `
accent dialect / speech language; accessibility accessible / blind disabled deaf screen reader wheelchair ramp
accommodation housing / hotel apartment; account / bank iban number login; accuracy precision / error exact
adult grown / age; adventure / trip travel; advantage benefit plus / good
agency bureau / company design advertising; agenda / meeting
aircraft plane helicopter cessna boeing airbus / pilot fly; alarm / clock wake security; alley street
altitude height / mountain; ambulance paramedic / emergency hospital accident; ancestor / family; angle / degree
anger rage / angry; ankle / foot; answer reply; antique old / furniture; apartment / rent
appearance look / style; appetite / hungry; apprentice trainee / learn; aquarium / fish; archive / old
area region zone / place; aroma smell / coffee; artist / paint; aspect point / side; assembly / build
assistant helper / secretary; atmosphere mood / air; attic / roof; attitude / opinion
audience crowd spectators / show; auction bid / sell; backpack rucksack / bag hike; bacteria germ / infection
badge / name; baggage / airport; balance / money account
balcony terrace patio deck veranda / outside garden plants; balloon / party; band / music; bank / money; bar pub
barbecue bbq grill / party meat; barn / farm; bathroom toilet restroom shower bath / tile; battle war
beard mustache / face shave; bedtime / sleep; beginning start; behavior / act; bell / ring; belt / trousers
bench / park; benefit / advantage; bin / trash; blanket / bed; blind / eyes
boiler heating furnace radiator / warm maintenance house; bomb / war
bone collarbone skull rib spine elbow shin / broken fracture skeleton; border / country; boundary limit
box mini computer machine; bracket / shelf; branch / tree office; brand / make; bride groom / wedding
brochure flyer leaflet / print; bruise / injury; bucket / water; bug insect / error
building tower skyscraper / architect office; bulb / lamp; bullet / gun; bunch / flowers
burglar thief robber / stolen; burglary theft break in / police stolen; bush hedge shrub ivy / garden plant trim
butter / bread; button / click shirt; cabin / wood; cable wire cord / connect; cage / bird; calorie / diet
camel / desert; campsite / tent; canal / boat; candidate applicant / job; canvas / paint; cap hat
caption subtitle subtitles / movie language text; card / credit debit bank lost; cash money / atm
cashier / shop; castle palace / king; casualty victim / accident; category / type; cathedral church
cave / underground; cell / phone; cellar basement / wine; cemetery graveyard grave / funeral; ceremony / wedding
chain / bike necklace; chairman / president; channel / youtube tv; chaos mess; chapter / book
character / personality novel; charity ngo foundation donates / donate cause unicef borders red cross
cheek / face; chemical chemicals pesticide herbicide / poison insects garden; chest / body; chimney / roof
chin / face; chip / computer; circle / round; clause / contract; cloud / rain; clown / circus; clue / mystery
coal / energy; code / pin password lock; coffin / funeral; coin / collect; collar / dog; colony / bees
comment / opinion; committee board / meeting; compass / direction; competitor rival; component part
compost / garden; constitution / law; continent / europe asia africa; corridor hallway / cupboard
costume / halloween; council / city; counter / kitchen; county / state; courtyard / house; cradle crib / baby
creature animal; credit / bank; crutch sling cast bandage splint / injury broken arm leg; culture / tradition
currency / euro dollar pound yen franc krona money; curriculum / school; cushion / sofa; custody / child divorce
customs / border; decade / ten years; default standard preset / setting; democracy / vote; destination / travel
devil / hell; dictionary / word; direction / north south east west faces towards; director / film company
dirt dirty mud / clean; disaster / flood earthquake
disk disc drive ssd hdd / storage tb computer mirror raid zfs; dizzy dizziness vertigo / heights ladder
drought / dry; ear / hearing; emergency / er hospital room; emotion feeling; equation / math
equipment gear / tool; eyebrow / face; factory plant / worker production; fare / ticket bus; feather / bird
fee charge / price pay; fence / garden neighbour; fiber fibre broadband / internet line mbit
fingerprint biometric faceid / login unlock phone; finger / hand; firework / new year; flour / bake
fluid liquid; fog / weather; folder directory / file; forecast / weather; forehead / face; fortune luck
fountain / water; frame / picture; fraud scam / crime; freedom / rights; freezer / fridge ice; frost / cold
gene dna / genetics; grade / school; grammar / language; grass lawn / mow garden; greenhouse / garden
gun weapon; gut / stomach; headline / news; headquarters / office company; height / tall heights ladder dizzy
hint clue; hurricane / storm; inflation / price
insect bug pest / mosquito fly ant slug spider aphid pesticide garden; jail prison / crime; jam / bread
jaw / teeth; jealous jealousy envy / want; kettle / tea; kindergarten nursery daycare preschool / child
ladder / climb height; lettuce salad / vegetable garden; line / internet connection fibre; lip / mouth
lock / bicycle code key; logistics / transport; lottery / win; maintenance service servicing / yearly once
makeup lipstick / cosmetics face; mall / shopping; metal / iron steel copper aluminum; midnight / night
motorbike motorcycle scooter harley / ride; notification alert push / message firebase app; opportunity chance
orchard / apple; overtime / work hours; palette colours colors scheme / design; pan / cook
permission allowed / ask approval; piano / lessons; pond pool lake / water garden lilies fish
protein / meat fitness; rocket / space; satellite / space; seat / window aisle plane; sesame / allergy seed
shade / sun; shed hut / garden tool key; snail slug / garden lettuce; souvenir / travel gift; stadium / match
storm thunder lightning / weather damage wind; strike / work union; sunlight sunshine sun / south hot terrace
sunrise sunset dawn dusk / sky; swing slide playground / child fell; teacher / school advice
telescope / stars gift; tooth teeth / dentist teething baby brush; transfer / payment bank money
twin twins / baby sibling; weed / garden
`
  .split(/[;\n]/)
  .filter((group) => group.trim() !== "");
