var N_RAL_FILES = 1;
var N_RAL_NODES_PER_FILE = 16384;
var RootNodeIds = [0,77,98,131,222,294,323];
var PageInfo = {"title":"Sluice registers"};
