var N_RAL_FILES = 1;
var N_RAL_NODES_PER_FILE = 16384;
var RootNodeIds = [0,54,145,166,199,290,399,428];
var PageInfo = {"title":"Sluice registers"};
