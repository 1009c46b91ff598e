/** Groups of related English words around verbs, separated by `;`. Same form as `LIFE_GROUPS`: `heads / members`. */
export const VERB_GROUPS: readonly string[] = `
abandon quit desert leave / give up drop; absorb soak / take in; abuse mistreat harm / hurt
accelerate speed hasten / faster; accompany escort join / go with together; accuse blame charge / guilty court
ache hurt / pain sore; acquire obtain gain get buy / own purchase; adapt adjust modify / change fit
adjourn postpone suspend / meeting later; admire respect adore / hero model like
admit confess acknowledge / guilt truth; admit hospitalize / hospital patient; adopt accept / child pet policy
advertise promote / marketing ad; advise counsel recommend / suggest tip; afford / money pay expensive cheap
aim intend target / goal plan; amuse entertain / fun laugh; annoy irritate bother disturb / angry hate noise
apologize sorry / regret forgive; appoint name designate nominate / job role
appreciate value thank / grateful like; archive store / old files keep; argue dispute quarrel / disagree fight
arrest detain / police crime; assemble build construct / parts furniture team
assess evaluate judge rate / test review; assign allocate give / task responsible; assist help aid / support
assume suppose presume / think guess; attach fasten connect / file; attack assault / crime war hacker
attempt try effort / test; attract draw / interest; automate / script robot automatic
award grant honor / prize win; babysit / child kids care sitter; back support / up; bake roast / oven cake bread
ban forbid prohibit block / not allowed rule never; bark / dog noise; bathe shower wash / water
beat defeat / win game; beg plead / ask; behave act / conduct manner; bend fold / curve
bet gamble wager / casino money; bill charge invoice / customer pay; bite sting / dog insect mosquito
blame accuse fault / cause; bleed / blood wound; block prevent freeze stop / account card spam banned
boil / water cook egg; bore tire / dull; borrow lend loan / owe return library drill
bother trouble annoy / disturb; bounce / ball; breathe breath / air lung; brew / beer coffee tea
broadcast stream air / radio tv show; browse surf / web internet; brush comb / teeth hair
bully tease harass / school mean; bury funeral / grave dead; call phone ring dial / number telephone
cancel abort scrap drop / subscription trip event; carve / wood knife
castrate neuter sterilize spay / pet vet dog; catch grab / ball fish
celebrate commemorate / party birthday anniversary; certify / certificate exam; challenge dare / difficult
charge load / battery electric phone; charge bill cost / price pay; chase hunt pursue / run
chat talk converse / message friend; cheat deceive / lie unfair; check verify confirm inspect examine / test
cheer applaud / happy fan; chew bite / eat teeth; choke / throat breathing; chop slice cut / knife food wood
cite quote reference / source; claim assert state / say insurance; clap applaud / hands
clean wash wipe scrub tidy polish / dirt mess; climb ascend scale / mountain ladder tree
coach train teach / sport team; collapse fall crash / break; collide crash hit / accident car
comfort console soothe / sad support; commute travel / work train bus; communicate talk / message contact
compensate reimburse repay / money; compete contest / race win; compile build / code
comply obey follow / rule law; compose write create / music song; compromise settle / agree
conclude end finish / decide; conduct lead perform / orchestra study; confess admit / secret
confirm verify approve / check second; confuse puzzle / unclear; connect link attach join / network
conquer win / fear; consult ask / doctor expert advice; consume eat drink use / energy food
contain include hold / inside; contribute donate give / open source help; control manage check / run
convert change transform / format; convince persuade / argue agree; cooperate collaborate / team together
correct fix revise proofread edit / error mistake draft; crack break split / glass
crash fail / computer error car accident; crawl creep / baby; cross / road bridge; crush squash / love
cry weep sob / tear sad; cure heal treat / illness medicine; curl / hair; cycle bike ride / bicycle
damage harm ruin destroy wreck / broken storm; dare risk / brave; debate discuss argue / topic
declare announce / tax; decline refuse reject / offer less; decorate / paint room christmas
decrease reduce drop fall / less; defend protect / attack court; define specify / term meaning
delay postpone defer push / late; delegate assign / task; delete erase remove / file
deliver bring ship hand / package food; demand require claim / need; demolish destroy tear / building
deny refuse reject / no; depend rely / trust need; deploy release / server; deposit / bank money rent
derive / from; deserve earn / award; destroy ruin wreck demolish / damage eaten
detect notice find discover / sensor; deteriorate worsen decline / worse; diagnose / illness doctor
dig / garden hole; digest / stomach food; disagree differ object / argue
disappear vanish gone drop removed / lost missing; disappoint / sad upset expectation
discontinue drop stop end / support product removed; disinfect clean sterilize / wound; dislike hate / not
dismiss fire / job; dispatch send ship / order; display show exhibit / screen; dissolve melt / water
distribute share spread / send; dive snorkel scuba / sea underwater diving; divide split share / part
donate give contribute / charity blood money; double twice / two; doubt question uncertain / unsure
download install get / file app; draft write sketch / text paper; drag pull / move; dream wish / sleep goal
drill / tool hole; drop fall / down; drown / water swim; dry / towel laundry; dump discard / trash
earn make gain / money income salary; edit revise change modify / text photo; educate teach train / school
elect choose vote / president; eliminate remove / out; embarrass shame / awkward
emigrate immigrate move / abroad country; employ hire recruit / job work; empty clear / full
encourage support motivate / help; endure bear stand tolerate / pain
enroll register sign enter join / course school; ensure guarantee / sure; enter join go / door
entertain amuse host / fun; escape flee run / prison; establish found create set / company
evacuate leave / fire emergency; examine inspect check study / doctor test audit; exceed above more over / limit
excuse forgive / reason; exhaust tire / tired; expand grow extend / bigger; expel / school out
explode blow / bomb; export download / data; express say show / feeling; extract pull remove / tooth
fail flunk / exam test broken; faint collapse / unconscious; fake forge / false; fast / eat ramadan
fasten tie / belt; fear dread / afraid; feed nourish / animal eat food; fetch get bring / pick; fill / full
film shoot record / movie camera; filter / coffee water; finance fund pay sponsor / money
finish complete end / done; fire shoot / gun; fit suit / size; fix repair mend / broken
flatter compliment / praise; float / water swim; flood overflow / water rain; fold / paper clothes
forbid ban prohibit / not allowed never must; force compel make / must; forget / memory remember
format / style disk; found establish start set / company; freeze block lock stop / card account
freeze / ice cold; frighten scare / afraid; fry grill roast / pan cook; fund pay finance / money
gain win get / more weight; gamble bet / casino; gather collect meet / together; generate create produce / make
glue stick / paste; govern rule / state; grab take / catch; graduate finish / degree university
grant give allow / permission; greet welcome hello / meet; grill barbecue bbq / meat cook; grind / coffee mill
guard watch protect / security; guide lead show / tour; hack break / computer security
handle deal manage treat / cope; hang / wall picture; harvest pick / crop fruit; haunt / ghost
heal cure recover / wound; heat warm / oven boiler; hesitate / doubt; hit strike beat / ball
hug embrace kiss / love; hum / song; hunt / animal; hurt injure wound harm / pain; hydrate / water drink
identify recognize / name; ignore neglect / not; illustrate draw / picture book; imagine picture / idea
imitate copy mimic; immigrate / country; implement build develop / feature code; import / data goods
impress / admire; improve better enhance / progress; include contain / part; increase raise grow / more
infect / virus sick; influence affect / effect; inherit legacy bequeath left / will died uncle parents estate
inject / insulin needle; injure hurt wound fell fall / accident broken; insist demand
inspect examine check / control; install set mount / software kitchen; insult offend / mean; insure / insurance
integrate connect / system; interrupt disturb pause / stop; interview / job question
introduce present / new meet; invade attack / war; invent create / inventor new; invest / money stock
investigate research / police; iron / shirt clothes; isolate / alone; jog run / morning; joke kid / funny
judge rate decide / court; juggle balance / work; jump leap hop / high; kick / ball; kidnap / crime
kill murder / dead; kiss hug / love; kneel / knee; knit sew / wool; knock hit topple / door storm damage
label tag mark annotate / name; land arrive / plane; last take continue / hours long duration
laugh smile / funny; launch start release publish / product rocket; lay put place; lean / wall
learn study / school; lease rent / car apartment; lick / tongue; lie cheat / truth; lift raise / weights
limit restrict cap / max; link connect / url; list / name; litter / trash cat; load charge / truck
locate find place / where; log write record / error; log sign / account login; look watch see / eyes
loosen / tight; lower reduce / down; maintain service keep / maintenance yearly repair boiler
manufacture produce make / factory; mark note label / grade; marry wed / wife husband; massage / back spa
master learn / skill; match fit / pair; mature / old; measure / tool; mediate / conflict; melt / ice snow
memorize remember learn / by heart; mend repair fix / sew; merge combine join / git; mix stir blend / cook
moan complain; modify change edit / adapt; monitor watch observe / screen; mop / floor clean
motivate inspire drive / reason; mount / wall install; mourn grieve / death; multiply / number
murder kill / crime; name call / title; navigate steer / map; neglect ignore / not; nest hatch / bird egg
nominate / award; notice see observe / find; nurse care / sick; obey follow / rule; object disagree / no
observe watch notice / see; obtain get acquire; offend insult / hurt; offer propose provide give / price
omit skip leave / out; operate run work / machine; operate / surgery; oppose against / disagree
order request / food online; organize arrange sort / files order; overcome beat / problem fear
oversee supervise manage / lead; overtake pass / car; owe / debt money; pack / suitcase bag; pair match / two
park / car; participate join / event; pause stop break / wait; peel / fruit; perform play act / show stage
permit allow let / permission may; persuade convince / argue; photograph / camera; pick choose collect / fruit
pitch present / idea; place put / location; plant sow grow put / tree garden seed; plug / power; point / finger
poison / toxic chemical pesticide; polish clean / shoe; pollute / environment; post publish send / online
postpone delay reschedule push moved / later; pour / water glass; pray / god church; predict forecast / future
pretend / fake; print / paper; produce make create / factory; prohibit ban forbid
promise pledge swear / gift will; promote advance / job; pronounce say / name word
propose suggest ask / marry idea; protect guard / safe; protest demonstrate / march
provide give supply offer / service; pull drag / push; punish / crime parents; push press / button
qualify / final; quarrel argue / fight; quiz test / question; race run / fast
raise lift increase / salary child; rank rate / best; rate review score grade / stars users opinion
reach contact / phone; react respond / answer; rebuild restore / again; recall remember / memory
recharge / battery; recite / poem; recognize know identify / face; recommend suggest advise / tip
reconcile forgive / again; recruit hire / job; recycle / trash; reduce cut lower / less; refactor rewrite / code
refer / recommendation; refill / fill; reflect think / mirror; refuse decline / no
register sign enroll / form account; regret sorry / mistake; rehearse practice / play band
reject refuse / offer; relate connect / family; release publish launch / new version; relieve / pain
rely depend / trust; remember recall / forget; remind / reminder note; remodel renovate / house; rename / name
rent lease hire / apartment car; repair fix; repeat again / often; replace change / new; request ask / want
rescue save / help emergency; research study / science; reserve book / table hotel; resist / against
resolve solve fix / problem; respect admire / honor; respond answer reply
restart reboot reset relaunch / computer machine server; restore recover / backup; restrict limit / only
retain keep store; retry again / repeat; reveal show tell / secret; reverse back / car
review check rate / feedback; revise edit study / text exam; ride / horse bike bus; ring call / bell phone
rinse wash / water; roast / coffee meat; rob steal / bank; rotate turn / shift; row / boat; ruin destroy damage
rule govern; sail / boat; sample try taste / test; satisfy please / happy; save rescue / file money
scan / printer document; scatter spread; schedule plan / time date; scold shout / angry; score / goal point
scratch itch / cat; scream shout yell / loud; seal close; select choose pick; sell / price
send mail ship / letter push; serve / restaurant army; settle pay resolve / bill invoice debt dispute
sew / clothes; shape form; share divide / together; sharpen / knife; shave / beard; shelter protect / house
shine / sun; ship send / package; shock surprise; shoot / gun film; shop buy / store; shorten cut / short
shout yell / loud; shred cut / paper; sign / name; simplify easy / simple; sink / ship; skate / ice; sketch draw
skip miss omit; slice cut / bread; slide / slip; slip fall / ice; smell scent / nose perfume; smile / happy
sneeze / cold allergy; soak / water; solve / problem puzzle; sort order / list
specify define describe / specification requirement write; spell / word letter; spill / drink
split divide / share; spoil / child food; sponsor fund / money; spray / paint; spread / butter; squeeze / lemon
stain / spot clean; stammer stutter / speech; stare look; starve / hungry; steal rob / thief; steam / cook
steer drive / wheel; sting bite / bee wasp; stir mix / cook; stitch sew / wound; store keep / data
strengthen / strong; stretch / yoga; stroll walk; struggle / hard difficulty; stumble fall trip
submit send hand / form; subscribe / newsletter; succeed / success; suck / straw; suffer / pain disease
suggest propose / idea; suit fit / clothes; sunbathe tan / beach; supervise oversee / boss
supply provide / deliver; suppose think / guess; surround around; survive live / accident; suspect / crime
suspend pause stop / school; swallow / throat pill; swap exchange; sweat / sport heat; sweep / floor
swell / allergy; switch change; tap press touch / app screen; taste try / food; tease / joke
terminate end / contract; thank / grateful; threaten / danger; tie fasten / shoe; tile / bathroom floor
tip / waiter money; toast / bread; tolerate accept / stand; torture / pain; touch feel / hand; tour / visit
tow / car; trace / find; trade / market; train / sport; transfer move send / money bank; transform change
transplant / organ; transport carry / truck; trap catch / mouse; treat / doctor
trim cut prune mow / hedge hair garden grass lawn; trouble problem; trust believe; tune / instrument
twist turn / ankle; type / keyboard; undo back; uninstall remove / software; unite join; unlock open / key
unpack / box; upload / file photo; upset sad; urge / push; vacuum / floor; validate check; vanish disappear
vary differ / change; view see; visit / museum; vomit nauseous / sick; vote / election; wake / up; wander walk
warn / danger; waste / time money; watch look observe / tv film; water / plant; wave / hand; weaken / weak
weave / fabric; weigh / kilo; whisper / quiet; whistle / mouth; win / prize; wipe clean / table
wish want / birthday; withdraw / money bank; witness see / accident; wonder / think; worry / anxious
worsen / bad; wrap / gift; write / letter; yawn / tired; yell shout
`
  .split(/[;\n]/)
  .filter((group) => group.trim() !== "");
